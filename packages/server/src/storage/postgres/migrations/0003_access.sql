-- Accounts from before had no name but their id. A removed account keeps its row, so that its id is never
-- given to another; `emptied` once nothing of it is left to remove.
ALTER TABLE accounts ADD COLUMN name text, ADD COLUMN request_limit text,
  ADD COLUMN suspension_time bigint, ADD COLUMN removal_time bigint,
  ADD COLUMN emptied boolean NOT NULL DEFAULT false;

UPDATE accounts SET name = account_id;

ALTER TABLE accounts ALTER COLUMN name SET NOT NULL;

-- Listed by their bytes, however the database sorts text.
CREATE INDEX accounts_by_id ON accounts (account_id COLLATE "C") WHERE removal_time IS NULL;

CREATE INDEX accounts_to_empty ON accounts (removal_time)
  WHERE removal_time IS NOT NULL AND NOT emptied;

CREATE TABLE clients (
  client_id text COLLATE "C" PRIMARY KEY,
  account_id text NOT NULL REFERENCES accounts,
  name text NOT NULL,
  scopes text NOT NULL,
  secret_hash text NOT NULL,
  -- The secret before, and until when it counts beside the new one.
  previous_hash text,
  previous_until bigint,
  creation_time bigint NOT NULL,
  secret_time bigint NOT NULL
);

CREATE INDEX clients_by_account ON clients (account_id);

CREATE TABLE revoked_tokens (
  token_id text PRIMARY KEY,
  expiration_time bigint NOT NULL
);

CREATE INDEX revoked_tokens_expiring ON revoked_tokens (expiration_time);

CREATE TABLE signing_keys (
  key_id text PRIMARY KEY,
  public_key text NOT NULL,
  sealed_private_key text NOT NULL,
  creation_time bigint NOT NULL UNIQUE
);

CREATE TABLE audit_entries (
  entry_id text COLLATE "C" PRIMARY KEY,
  time bigint NOT NULL,
  account_id text,
  actor_kind text NOT NULL,
  actor_id text NOT NULL,
  request_id text,
  action text NOT NULL,
  subject_id text NOT NULL,
  detail text NOT NULL
);

CREATE INDEX audit_entries_by_time ON audit_entries (time, entry_id);

CREATE INDEX audit_entries_by_account ON audit_entries (account_id, time, entry_id);

-- When each account's bucket of requests is full again. Unlogged, so that a request does not wait for the
-- disk: after a crash of the database all buckets are full, and that is all there is to it.
CREATE UNLOGGED TABLE request_buckets (
  account_id text COLLATE "C" PRIMARY KEY,
  full_at double precision NOT NULL
) WITH (fillfactor = 20);

ALTER TABLE request_buckets SET (autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
