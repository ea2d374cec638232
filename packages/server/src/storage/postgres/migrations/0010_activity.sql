-- Adds two lists of counts, number by number. Zeros stand for what is missing in the shorter one.
CREATE FUNCTION add_counts(integer[], integer[]) RETURNS integer[] LANGUAGE sql IMMUTABLE
  AS $$ SELECT array_agg(coalesce(one, 0) + coalesce(other, 0) ORDER BY place)
    FROM unnest($1, $2) WITH ORDINALITY AS pairs (one, other, place) $$;

-- How many attempts there were, by target and span of time. No message is written here: nodes gather in memory, and
-- add what they have every few seconds. With room on the pages, so that no index is touched by an addition.
CREATE TABLE activity (
  account_id text COLLATE "C" NOT NULL,
  -- 0: all targets of the account together. The keys of targets begin at 1.
  target_key integer NOT NULL,
  -- A position in the list of spans.
  span smallint NOT NULL,
  time bigint NOT NULL,
  counts integer[] NOT NULL,
  PRIMARY KEY (account_id, target_key, span, time)
) WITH (fillfactor = 50);

CREATE INDEX activity_by_time ON activity (span, time);

ALTER TABLE activity SET (autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_insert_scale_factor = 0.05);
