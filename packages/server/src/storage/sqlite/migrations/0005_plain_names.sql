-- The table has one row: the column says so, and is no place of anything.
ALTER TABLE encryption_check RENAME COLUMN place TO only_row;
