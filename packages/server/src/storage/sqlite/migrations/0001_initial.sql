CREATE TABLE accounts (
  account_key INTEGER PRIMARY KEY,
  account_id TEXT NOT NULL UNIQUE,
  monthly_message_limit INTEGER,
  creation_time INTEGER NOT NULL
) STRICT;

CREATE TABLE access_keys (
  account_key INTEGER NOT NULL REFERENCES accounts,
  key_id TEXT NOT NULL,
  name TEXT NOT NULL,
  scopes TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  creation_time INTEGER NOT NULL,
  PRIMARY KEY (account_key, key_id)
) STRICT, WITHOUT ROWID;

-- How many messages an account has scheduled in a calendar month, UTC, such as 2026-11.
CREATE TABLE monthly_usage (
  month TEXT NOT NULL,
  account_key INTEGER NOT NULL,
  used INTEGER NOT NULL,
  PRIMARY KEY (month, account_key)
) STRICT, WITHOUT ROWID;

-- A removed target keeps its row: messages that are still on record belong to it.
CREATE TABLE targets (
  target_key INTEGER PRIMARY KEY,
  account_key INTEGER NOT NULL REFERENCES accounts,
  target_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  sealed_settings TEXT NOT NULL,
  sealed_secrets TEXT NOT NULL,
  retry_policy TEXT NOT NULL,
  max_concurrency INTEGER NOT NULL,
  rate_limit TEXT,
  paused INTEGER NOT NULL,
  creation_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  removal_time INTEGER,
  revision INTEGER NOT NULL,
  UNIQUE (account_key, target_id)
) STRICT;

-- message_key is the time and counter at the head of the message's UUIDv7: rows are appended, sorted
-- as their ids are, and found by id without an index over ids.
CREATE TABLE messages (
  message_key INTEGER PRIMARY KEY,
  message_id BLOB NOT NULL,
  account_key INTEGER NOT NULL,
  target_key INTEGER NOT NULL REFERENCES targets,
  state INTEGER NOT NULL,
  version INTEGER NOT NULL,
  scheduling_time INTEGER NOT NULL,
  original_delivery_time INTEGER NOT NULL,
  next_delivery_time INTEGER,
  last_delivery_time INTEGER,
  dead_letter_time INTEGER,
  cancellation_time INTEGER,
  expiration_time INTEGER,
  delivery_failure_count INTEGER NOT NULL,
  attempt_count INTEGER NOT NULL,
  attempts_this_round INTEGER NOT NULL,
  planning_time INTEGER NOT NULL,
  payload TEXT NOT NULL
) STRICT;

-- The only index that a pending message is in; it serves claiming and listing alike. A second one, by
-- time alone, would cost every insert another page at random.
CREATE INDEX messages_scheduled ON messages (target_key, next_delivery_time)
  WHERE next_delivery_time IS NOT NULL;

CREATE INDEX messages_dead ON messages (target_key, dead_letter_time)
  WHERE dead_letter_time IS NOT NULL;

CREATE INDEX messages_expiring ON messages (expiration_time)
  WHERE expiration_time IS NOT NULL;

CREATE TABLE attempts (
  message_key INTEGER NOT NULL,
  number INTEGER NOT NULL,
  start_time INTEGER NOT NULL,
  end_time INTEGER NOT NULL,
  outcome INTEGER NOT NULL,
  status_code INTEGER,
  error TEXT,
  response TEXT,
  PRIMARY KEY (message_key, number)
) STRICT, WITHOUT ROWID;

-- Holds what the first answer said, which outlives the message where retention is short.
CREATE TABLE idempotency_keys (
  account_key INTEGER NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  message_id BLOB NOT NULL,
  target_id TEXT NOT NULL,
  scheduling_time INTEGER NOT NULL,
  original_delivery_time INTEGER NOT NULL,
  expiration_time INTEGER NOT NULL,
  PRIMARY KEY (account_key, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_keys_expiring ON idempotency_keys (expiration_time);

CREATE TABLE nodes (
  node_id TEXT PRIMARY KEY,
  epoch INTEGER NOT NULL,
  role TEXT NOT NULL,
  join_time INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE counters (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO counters (name, value) VALUES ('pending', 0);
