-- How long nodes have seen a membership without a renewal, so that one which starts need not begin to watch anew. A
-- silence counts only for the renewal that it names. It is measured by monotonic clocks, never by this database's.
CREATE TABLE node_silences (
  epoch bigint PRIMARY KEY,
  version text COLLATE "C" NOT NULL,
  silent_ms bigint NOT NULL
);
