-- The end of the id of the last event that was removed from the log. Null: none was, or an earlier version removed it.
ALTER TABLE event_logs ADD COLUMN removed_mark TEXT;
