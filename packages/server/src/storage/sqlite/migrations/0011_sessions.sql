-- Browsers that signed in with an API key. The id of a session is a secret: only its SHA-256 is here.
CREATE TABLE sessions (
  hash TEXT PRIMARY KEY,
  account_key INTEGER NOT NULL,
  key_id TEXT NOT NULL,
  scopes TEXT NOT NULL,
  creation_time INTEGER NOT NULL,
  expiration_time INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_of_key ON sessions (account_key, key_id, creation_time);

CREATE INDEX sessions_expiring ON sessions (expiration_time);
