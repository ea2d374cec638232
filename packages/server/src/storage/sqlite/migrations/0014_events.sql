-- Durable subscriptions to what happens in an account.
CREATE TABLE event_endpoints (
  account_key INTEGER NOT NULL,
  endpoint_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  -- Types, targets and labels, as JSON.
  filter TEXT NOT NULL,
  sealed_settings TEXT,
  sealed_secrets TEXT,
  max_batch INTEGER NOT NULL,
  paused INTEGER NOT NULL,
  disabled_time INTEGER,
  creation_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  start_position INTEGER NOT NULL,
  -- Of a webhook: how far it is, as JSON.
  progress TEXT,
  PRIMARY KEY (account_key, endpoint_id)
) STRICT, WITHOUT ROWID;

-- One log for each account that has had an endpoint. The row stays when the log is empty: positions are never given twice.
CREATE TABLE event_logs (
  account_key INTEGER PRIMARY KEY,
  last_position INTEGER NOT NULL,
  removed_up_to INTEGER NOT NULL,
  -- The log time of the first event that is left; null: the log is empty.
  first_time INTEGER,
  -- The log time of the last event that there was.
  last_time INTEGER NOT NULL
) STRICT;

CREATE INDEX event_logs_by_first_time ON event_logs (first_time) WHERE first_time IS NOT NULL;

CREATE TABLE events (
  account_key INTEGER NOT NULL,
  -- Dense, from 1 on.
  position INTEGER NOT NULL,
  event_id TEXT NOT NULL,
  -- A position in the list of types.
  type INTEGER NOT NULL,
  time INTEGER NOT NULL,
  -- The latest time of all events up to here. It never falls along the log, so a time is found without an index.
  log_time INTEGER NOT NULL,
  target_id TEXT,
  data TEXT NOT NULL,
  PRIMARY KEY (account_key, position)
) STRICT, WITHOUT ROWID;

-- How the latest attempts at a target went. Only targets that somebody is told about have a row.
CREATE TABLE target_health (
  target_key INTEGER PRIMARY KEY,
  failed_attempts INTEGER NOT NULL,
  since INTEGER,
  failing INTEGER NOT NULL
) STRICT;

-- When a target counts as failing, as JSON; null: as by default.
ALTER TABLE targets ADD COLUMN failing_after TEXT;
