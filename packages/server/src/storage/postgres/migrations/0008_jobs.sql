-- Changes of many messages, each made a few messages at a time. With room on the pages: a running job is
-- written several times a second, and no index is touched by that.
CREATE TABLE jobs (
  account_id text COLLATE "C" NOT NULL,
  job_id text COLLATE "C" NOT NULL,
  -- What the job occupies until it has ended: the id of its target, or '' if it names none. Null afterwards.
  occupies text COLLATE "C",
  idempotency_key text,
  fingerprint text,
  -- Neither paused nor ended.
  running boolean NOT NULL,
  -- The membership that holds it; 0: none has held it yet.
  epoch bigint NOT NULL DEFAULT 0,
  -- Whether the job has ended and its rows in job_messages are removed.
  emptied boolean NOT NULL DEFAULT false,
  expiration_time bigint,
  -- The job itself as JSON.
  job text NOT NULL,
  PRIMARY KEY (account_id, job_id)
) WITH (fillfactor = 30);

CREATE UNIQUE INDEX jobs_occupying ON jobs (account_id, occupies) WHERE occupies IS NOT NULL;

CREATE INDEX jobs_by_idempotency_key ON jobs (account_id, idempotency_key, job_id)
  WHERE idempotency_key IS NOT NULL;

CREATE INDEX jobs_running ON jobs (epoch, account_id, job_id) WHERE running;

CREATE INDEX jobs_to_empty ON jobs (account_id, job_id) WHERE occupies IS NULL AND NOT emptied;

CREATE INDEX jobs_expiring ON jobs (expiration_time) WHERE expiration_time IS NOT NULL;

-- The messages that a job has met, so that it meets none of them again. See the stages in domain/job.ts.
CREATE TABLE job_messages (
  account_id text COLLATE "C" NOT NULL,
  job_id text COLLATE "C" NOT NULL,
  message_id uuid NOT NULL,
  stage smallint NOT NULL,
  -- The message's attempts when it was redriven; null for other messages.
  attempt_count integer,
  PRIMARY KEY (account_id, job_id, message_id)
);

-- Those that are not handled yet: few, however many the job has met.
CREATE INDEX job_messages_open ON job_messages (account_id, job_id, stage, message_id) WHERE stage <> 0;

ALTER TABLE jobs SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_cost_delay = 0);
ALTER TABLE job_messages SET (autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_insert_scale_factor = 0.05);
