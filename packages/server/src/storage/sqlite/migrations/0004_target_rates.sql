-- When each target's bucket of attempts is full again. Only targets that have had a rate limit have a row.
CREATE TABLE target_rates (
  target_key INTEGER PRIMARY KEY,
  full_at REAL NOT NULL
) STRICT;
