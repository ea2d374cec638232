-- Running nodes of the version before go on with this schema. Their changes write no events, and a target that they
-- create again is told about as it was before. So subscribe only once all nodes know events.

-- Durable subscriptions to what happens in an account.
CREATE TABLE event_endpoints (
  account_id text COLLATE "C" NOT NULL,
  endpoint_id text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  -- Types, targets and labels, as JSON.
  filter text NOT NULL,
  sealed_settings text,
  sealed_secrets text,
  max_batch integer NOT NULL,
  paused boolean NOT NULL,
  disabled_time bigint,
  creation_time bigint NOT NULL,
  update_time bigint NOT NULL,
  revision integer NOT NULL,
  start_position bigint NOT NULL,
  -- Of a webhook: how far it is, as JSON.
  progress text,
  -- The membership that sends its events; 0: none has sent any yet.
  epoch bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, endpoint_id)
) WITH (fillfactor = 30);

CREATE INDEX event_endpoints_sending ON event_endpoints (epoch, account_id, endpoint_id)
  WHERE kind = 'webhook' AND NOT paused AND disabled_time IS NULL;

-- Which types somebody subscribes to, a bit for each, whatever target they concern. Only accounts that have had an endpoint
-- have a row.
CREATE TABLE account_events (
  account_id text COLLATE "C" PRIMARY KEY,
  event_mask integer NOT NULL
);

-- What events need to know of a target; a target without a row has nothing in it. Apart from `targets`, because running nodes
-- of the version before read whole rows of that, and would fail with another column.
CREATE TABLE target_events (
  target_key integer PRIMARY KEY,
  -- Which types somebody subscribes to for this target.
  event_mask integer NOT NULL DEFAULT 0,
  -- When the target counts as failing, as JSON; null: as by default.
  failing_after text
);

-- What has happened and is not in a log yet. Commits come in another order than their numbers, but of one message,
-- schedule, job or target the later change has the greater number: it takes it when it has the lock that the earlier one
-- held until its commit. One node at a time moves the rows. With `facts` a row is an event, with `new_messages` it is all
-- that one statement has scheduled, otherwise a change of a message; without any, the health of the target is to be forgotten.
CREATE TABLE event_outbox (
  outbox_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Bits of what happened, as far as somebody subscribes to it.
  types integer NOT NULL,
  time bigint NOT NULL,
  account_id text COLLATE "C",
  facts text,
  -- Messages that one commit has scheduled: of each its target, id and delivery time, and if it has options, when it is due
  -- and them.
  new_messages json,
  -- How many those are.
  message_count integer NOT NULL DEFAULT 1,
  target_key integer,
  -- The message after the change, as in `messages`.
  message_id uuid,
  state smallint,
  version integer,
  scheduling_time bigint,
  original_delivery_time bigint,
  next_delivery_time bigint,
  last_delivery_time bigint,
  dead_letter_time bigint,
  cancellation_time bigint,
  expiration_time bigint,
  delivery_failure_count integer,
  attempt_count integer,
  attempts_this_round integer,
  planning_time bigint,
  end_reason smallint,
  options text,
  -- The attempt that made the change, as in `attempts`.
  number integer,
  start_time bigint,
  end_time bigint,
  outcome smallint,
  status_code integer,
  error text,
  -- When the target counted as failing then.
  failing_after text
);

-- One log for each account that has had an endpoint. The row stays when the log is empty: positions are never given twice.
CREATE TABLE event_logs (
  account_id text COLLATE "C" PRIMARY KEY,
  last_position bigint NOT NULL,
  removed_up_to bigint NOT NULL,
  -- The log time of the first event that is left; null: the log is empty.
  first_time bigint,
  -- The log time of the last event that there was.
  last_time bigint NOT NULL
) WITH (fillfactor = 30);

CREATE INDEX event_logs_by_first_time ON event_logs (first_time) WHERE first_time IS NOT NULL;

-- Events of one log that follow each other and were moved together.
CREATE TABLE event_bundles (
  account_id text COLLATE "C" NOT NULL,
  -- Positions are dense, from 1 on.
  last_position bigint NOT NULL,
  first_position bigint NOT NULL,
  -- The latest time of all events up to the first one here. It never falls along the log, so a time is found without an
  -- index.
  log_time bigint NOT NULL,
  -- What the ids of the events begin with.
  seed text COLLATE "C" NOT NULL,
  -- One event a line.
  events text COLLATE "C" NOT NULL,
  PRIMARY KEY (account_id, last_position)
);

-- Compressed where it is long, and with its row wherever there is room.
ALTER TABLE event_bundles ALTER COLUMN events SET STORAGE MAIN;

-- How the latest attempts at a target went. Only targets that somebody is told about have a row.
CREATE TABLE target_health (
  target_key integer PRIMARY KEY,
  failed_attempts integer NOT NULL,
  since bigint,
  failing boolean NOT NULL
) WITH (fillfactor = 50);

ALTER TABLE event_outbox SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_insert_threshold = 10000, autovacuum_vacuum_cost_delay = 0);
ALTER TABLE event_logs SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_cost_delay = 0);
ALTER TABLE event_bundles SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05);

-- The keys that values may be sealed with, by their ids.
CREATE TABLE encryption_keys (
  key_id text COLLATE "C" PRIMARY KEY
);

-- The key that each node seals with, and the keys that it can open values of, as JSON.
CREATE TABLE sealing_nodes (
  node_id text PRIMARY KEY,
  key_id text NOT NULL,
  readable text NOT NULL,
  register_time bigint NOT NULL
);

-- The latest exchange of the encryption key, as JSON.
CREATE TABLE key_rotation (
  only_row integer PRIMARY KEY CHECK (only_row = 1),
  revision integer NOT NULL,
  rotation text NOT NULL
);
