-- What a caller has set for a message besides its target, time and payload, as JSON; null for a plain message.
ALTER TABLE messages ADD COLUMN options TEXT;
-- Why it ended: a position in the list of reasons. Null if its state says enough.
ALTER TABLE messages ADD COLUMN end_reason INTEGER;

-- Scheduled messages with the option `notAfter`. A table of its own and not an index, which would have to be
-- built from all messages that there are.
CREATE TABLE message_bounds (
  not_after INTEGER NOT NULL,
  message_key INTEGER NOT NULL,
  PRIMARY KEY (not_after, message_key)
) STRICT, WITHOUT ROWID;

-- The labels of messages, as name:value.
CREATE TABLE message_labels (
  account_key INTEGER NOT NULL,
  label TEXT NOT NULL,
  message_key INTEGER NOT NULL,
  PRIMARY KEY (account_key, label, message_key)
) STRICT, WITHOUT ROWID;
