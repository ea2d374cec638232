-- Runs whose messages callers have moved to later times, and runs that were made again after their time. A change of
-- the schedule finds them by this, because their run times may be long over. A row whose due time has come says
-- nothing any more.
CREATE TABLE moved_runs (
  message_id uuid PRIMARY KEY,
  schedule_key bigint NOT NULL,
  run_time bigint NOT NULL,
  trigger smallint NOT NULL,
  due_time bigint NOT NULL
);

CREATE INDEX moved_runs_by_schedule ON moved_runs (schedule_key, due_time);
