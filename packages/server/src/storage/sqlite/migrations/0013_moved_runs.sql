-- Runs whose messages callers have moved to later times, and runs that were made again after their time. A change of
-- the schedule finds them by this, because their run times may be long over. A row whose due time has come says
-- nothing any more.
CREATE TABLE moved_runs (
  message_key INTEGER PRIMARY KEY,
  schedule_key INTEGER NOT NULL,
  run_time INTEGER NOT NULL,
  trigger INTEGER NOT NULL,
  due_time INTEGER NOT NULL
) STRICT;

CREATE INDEX moved_runs_by_schedule ON moved_runs (schedule_key, due_time);
