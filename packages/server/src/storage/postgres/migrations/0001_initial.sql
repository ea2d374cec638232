-- Milliseconds since the epoch by the database's own clock: the only one that counts.
CREATE FUNCTION now_ms() RETURNS bigint LANGUAGE sql VOLATILE
  AS $$ SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint $$;

CREATE TABLE accounts (
  account_id text PRIMARY KEY,
  monthly_message_limit bigint,
  creation_time bigint NOT NULL
);

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

-- When the rate bucket of a limited target is full again; apart from the target, since it changes often.
CREATE TABLE target_rates (
  target_key integer PRIMARY KEY,
  full_at double precision NOT NULL
) WITH (fillfactor = 50);

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
CREATE INDEX messages_due ON messages (next_delivery_time) INCLUDE (target_key)
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
  message_id uuid PRIMARY KEY,
  target_key integer NOT NULL,
  epoch bigint NOT NULL
) WITH (fillfactor = 70);

CREATE INDEX claims_by_target ON claims (target_key);
CREATE INDEX claims_by_epoch ON claims (epoch);

-- A cancel or reschedule that waits for the outcome of an attempt in flight, on whichever node.
CREATE TABLE waiting_changes (
  change_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  message_id uuid NOT NULL,
  -- The time a reschedule asks for; null for a cancel.
  delivery_time bigint,
  answer text
);

CREATE INDEX waiting_changes_by_message ON waiting_changes (message_id) WHERE answer IS NULL;
