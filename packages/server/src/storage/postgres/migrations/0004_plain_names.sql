-- The table has one row: the column says so, and is no place of anything. Only starting nodes use it, and
-- those of the version before refuse this schema.
ALTER TABLE encryption_check RENAME COLUMN place TO only_row;

-- Running nodes of the version before use these. So they keep their names, and the database says what the
-- code calls them: see claims/claim-fence.ts.
COMMENT ON TABLE target_turns IS 'Claim fences: one for each target, with when its rate bucket is full.';
COMMENT ON COLUMN target_turns.turn IS 'The claim fence.';
COMMENT ON COLUMN claims.round IS 'The generation of the claim.';
COMMENT ON COLUMN claims.awaited IS 'Whether changes wait for its outcome, in waiting_changes.';
