-- Which scheduled message of a target has which key.
CREATE TABLE message_keys (
  target_key integer NOT NULL,
  key text COLLATE "C" NOT NULL,
  message_id uuid NOT NULL,
  PRIMARY KEY (target_key, key)
);

-- The first answer as JSON, if it does not follow from the other columns.
ALTER TABLE idempotency_keys ADD COLUMN answer text;

-- Whether a waiting change is dropped if its message has ended.
ALTER TABLE waiting_changes ADD COLUMN while_scheduled boolean NOT NULL DEFAULT false;
