-- Milliseconds since the epoch by the database's own clock: the only one that counts.
CREATE FUNCTION now_ms() RETURNS bigint LANGUAGE sql VOLATILE
  AS $$ SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint $$;

CREATE TABLE accounts (
  account_id text PRIMARY KEY,
  monthly_message_limit bigint,
  creation_time bigint NOT NULL
);

-- How many messages an account has scheduled in a calendar month, UTC, such as 2026-11: the sum over its
-- shares. Each batch counts in a share that nobody else is counting in, so that batches of one account do
-- not queue; see queries/usage-shares.ts. With room on the pages, so that no index is touched by that.
CREATE TABLE usage_shares (
  month text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  share smallint NOT NULL,
  used bigint NOT NULL,
  -- How far this share may be used; null: without limit. All shares together may be used up to the
  -- account's limit exactly.
  granted bigint,
  PRIMARY KEY (month, account_id, share)
) WITH (fillfactor = 30);

CREATE TABLE access_keys (
  account_id text NOT NULL REFERENCES accounts,
  key_id text NOT NULL,
  name text NOT NULL,
  scopes text NOT NULL,
  hash text NOT NULL UNIQUE,
  creation_time bigint NOT NULL,
  PRIMARY KEY (account_id, key_id)
);

-- A removed target keeps its row: messages that are still on record belong to it.
CREATE TABLE targets (
  target_key integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id text NOT NULL REFERENCES accounts,
  target_id text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  sealed_settings text NOT NULL,
  sealed_secrets text NOT NULL,
  retry_policy text NOT NULL,
  max_concurrency integer NOT NULL,
  rate_limit text,
  paused boolean NOT NULL,
  creation_time bigint NOT NULL,
  update_time bigint NOT NULL,
  removal_time bigint,
  revision integer NOT NULL,
  UNIQUE (account_id, target_id)
);

-- Whose turn it is to claim for a target, and when its rate bucket is full again. Whoever claims for
-- the target or changes it moves the turn on: see queries/claim-due.ts. Apart from the target, since it
-- changes with every claim, and with room on its pages, so that no index is touched by that.
CREATE TABLE target_turns (
  target_key integer PRIMARY KEY,
  turn bigint NOT NULL DEFAULT 0,
  full_at double precision NOT NULL DEFAULT 0
) WITH (fillfactor = 20);

-- No foreign key to targets: scheduling locks the target's row itself, which a key would only repeat.
-- Payloads are bytes because text cannot hold NUL.
CREATE TABLE messages (
  message_id uuid PRIMARY KEY,
  account_id text NOT NULL,
  target_key integer NOT NULL,
  state smallint NOT NULL,
  version integer NOT NULL,
  scheduling_time bigint NOT NULL,
  original_delivery_time bigint NOT NULL,
  next_delivery_time bigint,
  last_delivery_time bigint,
  dead_letter_time bigint,
  cancellation_time bigint,
  expiration_time bigint,
  delivery_failure_count integer NOT NULL,
  attempt_count integer NOT NULL,
  attempts_this_round integer NOT NULL,
  planning_time bigint NOT NULL,
  payload bytea NOT NULL
);

CREATE INDEX messages_scheduled ON messages (target_key, next_delivery_time, message_id)
  WHERE next_delivery_time IS NOT NULL;

-- For the look ahead: which targets have something due soon, whoever scheduled it.
CREATE INDEX messages_due ON messages (next_delivery_time, target_key)
  WHERE next_delivery_time IS NOT NULL;

CREATE INDEX messages_dead ON messages (target_key, dead_letter_time, message_id)
  WHERE dead_letter_time IS NOT NULL;

CREATE INDEX messages_expiring ON messages (expiration_time)
  WHERE expiration_time IS NOT NULL;

CREATE TABLE attempts (
  message_id uuid NOT NULL,
  number integer NOT NULL,
  start_time bigint NOT NULL,
  end_time bigint NOT NULL,
  outcome smallint NOT NULL,
  status_code integer,
  error text,
  response bytea,
  PRIMARY KEY (message_id, number)
);

CREATE TABLE idempotency_keys (
  account_id text NOT NULL,
  key text NOT NULL,
  fingerprint text NOT NULL,
  message_id uuid NOT NULL,
  target_id text NOT NULL,
  scheduling_time bigint NOT NULL,
  original_delivery_time bigint NOT NULL,
  expiration_time bigint NOT NULL,
  PRIMARY KEY (account_id, key)
);

CREATE INDEX idempotency_keys_expiring ON idempotency_keys (expiration_time);

-- One row per life of a node. A life whose lease has ended is over, whatever its process believes.
CREATE SEQUENCE node_epochs;

CREATE TABLE nodes (
  epoch bigint PRIMARY KEY DEFAULT nextval('node_epochs'),
  node_id text NOT NULL,
  role text NOT NULL,
  join_time bigint NOT NULL,
  renewal_time bigint NOT NULL,
  lease_until bigint NOT NULL
);

-- Who holds which message: tiny, short-lived rows, so that the wide table is written once an attempt.
CREATE TABLE claims (
  target_key integer NOT NULL,
  message_id uuid NOT NULL,
  epoch bigint NOT NULL,
  -- Grows within a life, between two looks for claims that were lost: see queries/void-lost-claims.ts.
  round integer NOT NULL DEFAULT 0,
  -- A cancel or reschedule waits for the outcome.
  awaited boolean NOT NULL DEFAULT false,
  PRIMARY KEY (target_key, message_id)
) WITH (fillfactor = 70);

-- A cancel or reschedule that waits for the outcome of an attempt in flight, on whichever node.
CREATE TABLE waiting_changes (
  change_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  message_id uuid NOT NULL,
  -- The time a reschedule asks for; null for a cancel.
  delivery_time bigint,
  answer text,
  creation_time bigint NOT NULL DEFAULT now_ms()
);

CREATE INDEX waiting_changes_by_message ON waiting_changes (message_id) WHERE answer IS NULL;

CREATE INDEX waiting_changes_by_age ON waiting_changes (creation_time);

-- Rows that live for milliseconds leave dead ones behind at the rate of delivery. They are cleared up by
-- their number, not by their share of the table, and without pausing: the tables are small.
ALTER TABLE claims SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_cost_delay = 0);
ALTER TABLE target_turns SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_cost_delay = 0);
ALTER TABLE usage_shares SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_cost_delay = 0);
-- A fiftieth instead of a fifth: with ten million pending the default would let two million dead rows be.
ALTER TABLE messages SET (autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE attempts SET (autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_insert_scale_factor = 0.05);
