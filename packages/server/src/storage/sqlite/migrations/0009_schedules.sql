-- Recurring schedules: what each of their steps changes, as JSON, beside what queries ask for. Each new schedule is
-- another one, also if it has the id of one that was removed: keys are never given twice.
CREATE TABLE schedules (
  schedule_key INTEGER PRIMARY KEY AUTOINCREMENT,
  account_key INTEGER NOT NULL,
  schedule_id TEXT NOT NULL,
  target_id TEXT NOT NULL,
  paused INTEGER NOT NULL,
  -- When the schedule goes on; null: not before a caller changes it.
  look_time INTEGER,
  state TEXT NOT NULL,
  UNIQUE (account_key, schedule_id)
) STRICT;

-- What only callers change, as JSON. Apart, because a step writes its whole row, and this may be long.
CREATE TABLE schedule_definitions (
  schedule_key INTEGER PRIMARY KEY,
  definition TEXT NOT NULL,
  payload TEXT NOT NULL
) STRICT;

CREATE INDEX schedules_by_target ON schedules (account_key, target_id, schedule_id, paused);

CREATE INDEX schedules_by_pause ON schedules (account_key, paused, schedule_id);

CREATE INDEX schedules_by_look ON schedules (look_time) WHERE look_time IS NOT NULL;

CREATE INDEX schedules_by_account_and_look ON schedules (account_key, look_time)
  WHERE look_time IS NOT NULL;

-- What became of each run time. The rows of a removed schedule stay until they expire, and nobody finds them.
CREATE TABLE schedule_runs (
  schedule_key INTEGER NOT NULL,
  run_time INTEGER NOT NULL,
  trigger INTEGER NOT NULL,
  outcome INTEGER NOT NULL,
  reason INTEGER,
  message_id BLOB,
  -- Until the end of its message counts for `pauseAfterDeadLetters`: when to look at the message.
  judge_time INTEGER,
  expiration_time INTEGER NOT NULL,
  PRIMARY KEY (schedule_key, run_time)
) STRICT, WITHOUT ROWID;

CREATE INDEX schedule_runs_to_judge ON schedule_runs (judge_time) WHERE judge_time IS NOT NULL;

CREATE INDEX schedule_runs_expiring ON schedule_runs (expiration_time);
