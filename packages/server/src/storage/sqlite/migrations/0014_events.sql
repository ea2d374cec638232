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

-- Events of one log that follow each other and were written together.
CREATE TABLE event_bundles (
  account_key INTEGER NOT NULL,
  -- Positions are dense, from 1 on.
  last_position INTEGER NOT NULL,
  first_position INTEGER NOT NULL,
  -- The latest time of all events up to the first one here. It never falls along the log, so a time is found without an
  -- index.
  log_time INTEGER NOT NULL,
  -- What the ids of the events begin with.
  seed TEXT NOT NULL,
  -- One event a line.
  events TEXT NOT NULL,
  PRIMARY KEY (account_key, last_position)
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

-- The keys that values may be sealed with, by their ids.
CREATE TABLE encryption_keys (
  key_id TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- The key that the server seals with, and the keys that it can open values of, as JSON.
CREATE TABLE sealing_nodes (
  node_id TEXT PRIMARY KEY,
  key_id TEXT NOT NULL,
  readable TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The latest exchange of the encryption key, as JSON.
CREATE TABLE key_rotation (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  revision INTEGER NOT NULL,
  rotation TEXT NOT NULL
) STRICT;
