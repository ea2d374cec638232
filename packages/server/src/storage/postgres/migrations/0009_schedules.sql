-- Recurring schedules, as far as only callers change them. A schedule with the id of a removed one is another
-- schedule, with another key.
CREATE TABLE schedules (
  schedule_key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  schedule_id text COLLATE "C" NOT NULL,
  target_id text COLLATE "C" NOT NULL,
  paused boolean NOT NULL,
  -- Bytes, because text cannot hold NUL.
  payload bytea NOT NULL,
  UNIQUE (account_id, schedule_id)
);

CREATE INDEX schedules_by_target ON schedules (account_id, target_id, schedule_id, paused);

CREATE INDEX schedules_by_pause ON schedules (account_id, paused, schedule_id);

-- What each step of a schedule writes. Apart, so that a step touches none of the indexes above.
CREATE TABLE schedule_states (
  schedule_key bigint PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  -- When the schedule goes on; null: not before a caller changes it.
  look_time bigint,
  -- The schedule itself as JSON, without its payload.
  schedule text NOT NULL
);

CREATE INDEX schedule_states_by_look ON schedule_states (look_time, schedule_key)
  WHERE look_time IS NOT NULL;

CREATE INDEX schedule_states_by_account_and_look ON schedule_states (account_id, look_time, schedule_key)
  WHERE look_time IS NOT NULL;

-- How many schedules an account has, because counting them takes long if there are many. With room on the pages,
-- so that no index is touched when the count changes.
CREATE TABLE schedule_counts (
  account_id text COLLATE "C" PRIMARY KEY,
  count integer NOT NULL
) WITH (fillfactor = 30);

-- What became of each run time. The rows of a removed schedule stay until they expire, and nobody finds them.
CREATE TABLE schedule_runs (
  schedule_key bigint NOT NULL,
  run_time bigint NOT NULL,
  trigger smallint NOT NULL,
  outcome smallint NOT NULL,
  reason smallint,
  message_id uuid,
  -- When to look whether the message has ended, until its end has counted for `pauseAfterDeadLetters`.
  judge_time bigint,
  expiration_time bigint NOT NULL,
  PRIMARY KEY (schedule_key, run_time)
);

CREATE INDEX schedule_runs_to_judge ON schedule_runs (judge_time, schedule_key, run_time)
  WHERE judge_time IS NOT NULL;

CREATE INDEX schedule_runs_expiring ON schedule_runs (expiration_time);

-- The version of the time-zone data that the node has; null: it is older than schedules are.
ALTER TABLE nodes ADD COLUMN time_zone_version text COLLATE "C";

ALTER TABLE schedule_states SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
ALTER TABLE schedule_counts SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_cost_delay = 0);
ALTER TABLE schedule_runs SET (autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_insert_scale_factor = 0.05);
