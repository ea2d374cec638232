-- Accounts from before had no name but their id. A removed account keeps its row, so that its id is never
-- given to another; `emptied` once nothing of it is left to remove.
ALTER TABLE accounts ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE accounts ADD COLUMN request_limit TEXT;
ALTER TABLE accounts ADD COLUMN suspension_time INTEGER;
ALTER TABLE accounts ADD COLUMN removal_time INTEGER;
ALTER TABLE accounts ADD COLUMN emptied INTEGER NOT NULL DEFAULT 0;

UPDATE accounts SET name = account_id;

CREATE INDEX accounts_to_empty ON accounts (account_key)
  WHERE removal_time IS NOT NULL AND emptied = 0;

CREATE TABLE clients (
  client_id TEXT PRIMARY KEY,
  account_key INTEGER NOT NULL REFERENCES accounts,
  name TEXT NOT NULL,
  scopes TEXT NOT NULL,
  secret_hash TEXT NOT NULL,
  -- The secret before, and until when it counts beside the new one.
  previous_hash TEXT,
  previous_until INTEGER,
  creation_time INTEGER NOT NULL,
  secret_time INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX clients_by_account ON clients (account_key);

CREATE TABLE revoked_tokens (
  token_id TEXT PRIMARY KEY,
  expiration_time INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX revoked_tokens_expiring ON revoked_tokens (expiration_time);

CREATE TABLE signing_keys (
  key_id TEXT PRIMARY KEY,
  public_key TEXT NOT NULL,
  sealed_private_key TEXT NOT NULL,
  creation_time INTEGER NOT NULL UNIQUE
) STRICT, WITHOUT ROWID;

-- Accounts by their id and not by a key: what belongs to the service itself has none.
CREATE TABLE audit_entries (
  entry_id TEXT PRIMARY KEY,
  time INTEGER NOT NULL,
  account_id TEXT,
  actor_kind TEXT NOT NULL,
  actor_id TEXT NOT NULL,
  request_id TEXT,
  action TEXT NOT NULL,
  subject_id TEXT NOT NULL,
  detail TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX audit_entries_by_time ON audit_entries (time, entry_id);

CREATE INDEX audit_entries_by_account ON audit_entries (account_id, time, entry_id);
