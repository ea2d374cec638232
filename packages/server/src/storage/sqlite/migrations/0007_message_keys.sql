-- Which scheduled message of a target has which key.
CREATE TABLE message_keys (
  target_key INTEGER NOT NULL,
  key TEXT NOT NULL,
  message_key INTEGER NOT NULL,
  PRIMARY KEY (target_key, key)
) STRICT, WITHOUT ROWID;

-- The first answer as JSON, if it does not follow from the other columns.
ALTER TABLE idempotency_keys ADD COLUMN answer TEXT;
