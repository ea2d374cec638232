-- Changes of many messages, as JSON, beside what queries ask for.
CREATE TABLE jobs (
  job_key INTEGER PRIMARY KEY,
  account_key INTEGER NOT NULL,
  job_id TEXT NOT NULL,
  -- Until it has ended: the id of its target, or nothing for a job that names none.
  occupies TEXT,
  idempotency_key TEXT,
  fingerprint TEXT,
  running INTEGER NOT NULL,
  -- Once it has ended and its rows in job_messages are gone.
  emptied INTEGER NOT NULL,
  expiration_time INTEGER,
  job TEXT NOT NULL,
  UNIQUE (account_key, job_id)
) STRICT;

CREATE UNIQUE INDEX jobs_occupying ON jobs (account_key, occupies) WHERE occupies IS NOT NULL;

CREATE UNIQUE INDEX jobs_by_idempotency_key ON jobs (account_key, idempotency_key)
  WHERE idempotency_key IS NOT NULL;

CREATE INDEX jobs_running ON jobs (job_key) WHERE running = 1;

CREATE INDEX jobs_to_empty ON jobs (job_key) WHERE occupies IS NULL AND emptied = 0;

CREATE INDEX jobs_expiring ON jobs (expiration_time) WHERE expiration_time IS NOT NULL;

-- The messages that a job has met: none of them is met again, wherever it moves.
CREATE TABLE job_messages (
  job_key INTEGER NOT NULL,
  message_key INTEGER NOT NULL,
  stage INTEGER NOT NULL,
  -- Of a watched message: its attempts when it was redriven.
  attempt_count INTEGER,
  PRIMARY KEY (job_key, message_key)
) STRICT, WITHOUT ROWID;

-- Those that are not done with.
CREATE INDEX job_messages_open ON job_messages (job_key, stage, message_key) WHERE stage > 0;
