-- What a caller has set for a message besides its target, time and payload, as JSON; null for a plain message.
-- Why it ended: a position in the list of reasons, null if its state says enough.
ALTER TABLE messages ADD COLUMN options text, ADD COLUMN end_reason smallint;

-- Scheduled messages with the option `notAfter`. A table of its own and not an index, which would have to be
-- built from all messages that there are, while nobody could schedule.
CREATE TABLE message_bounds (
  not_after bigint NOT NULL,
  message_id uuid NOT NULL,
  PRIMARY KEY (not_after, message_id)
);

-- The labels of messages, as name:value.
CREATE TABLE message_labels (
  account_id text COLLATE "C" NOT NULL,
  label text COLLATE "C" NOT NULL,
  message_id uuid NOT NULL,
  PRIMARY KEY (account_id, label, message_id)
);

-- The bound that a waiting reschedule asks for, as JSON; null: the message keeps its own.
ALTER TABLE waiting_changes ADD COLUMN bound text;
