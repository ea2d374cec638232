-- One value sealed with the encryption key: a start with another key is noticed before anything is due.
CREATE TABLE encryption_check (
  place integer PRIMARY KEY CHECK (place = 1),
  sealed text NOT NULL
);
