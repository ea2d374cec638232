-- Accounts that were resumed, and of whose schedules some may still be held back. Looks at schedules release those in
-- pieces.
CREATE TABLE resumed_accounts (
  account_id text COLLATE "C" PRIMARY KEY
);

-- To find the oldest of many runs without a message.
CREATE INDEX schedule_runs_unmade ON schedule_runs (schedule_key, run_time) WHERE message_id IS NULL;
