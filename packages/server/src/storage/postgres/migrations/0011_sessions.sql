-- Browsers that signed in with an API key. The id of a session is a secret: only its SHA-256 is here.
CREATE TABLE sessions (
  hash text PRIMARY KEY,
  account_id text NOT NULL,
  key_id text NOT NULL,
  scopes text NOT NULL,
  creation_time bigint NOT NULL,
  expiration_time bigint NOT NULL
);

CREATE INDEX sessions_of_key ON sessions (account_id, key_id, creation_time);

CREATE INDEX sessions_expiring ON sessions (expiration_time);
