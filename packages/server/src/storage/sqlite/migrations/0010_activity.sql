-- How many attempts there were, by target and span of time: a list of counts as JSON. No message is written here:
-- nodes gather in memory, and add what they have every few seconds.
CREATE TABLE activity (
  account_key INTEGER NOT NULL,
  -- 0: all targets of the account together. The keys of targets begin at 1.
  target_key INTEGER NOT NULL,
  -- A position in the list of spans.
  span INTEGER NOT NULL,
  time INTEGER NOT NULL,
  counts TEXT NOT NULL,
  PRIMARY KEY (account_key, target_key, span, time)
) STRICT, WITHOUT ROWID;

CREATE INDEX activity_by_time ON activity (span, time);
