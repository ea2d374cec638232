-- Ends a statement that has found out that it cannot decide, and undoes what it has done until then.
CREATE FUNCTION raise_undecided() RETURNS uuid LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION USING ERRCODE = 'PD001', MESSAGE = 'undecided';
END $$;
