import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import type { Service } from "../service.ts";

/**
 * Copies the one schedule that there is until there are so many, faster than the API would make them. No server may be
 * running. An account has at most 100,000 by the API, which at rest makes no difference.
 */
export async function copySchedules(
  { dataDir, databaseUrl }: Pick<Service, "dataDir" | "databaseUrl">,
  count: number,
): Promise<void> {
  if (databaseUrl === null) copyInFolder(dataDir, count);
  else await copyInDatabase(databaseUrl, count);
}

function copyInFolder(dataDir: string, count: number): void {
  const db = new DatabaseSync(join(dataDir, "postdate.db"));
  db.exec(`
    BEGIN;
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count - 1})
    INSERT INTO schedules (account_key, schedule_id, target_id, paused, look_time, state)
    SELECT account_key, schedule_id || i, target_id, paused, look_time, state
    FROM n CROSS JOIN (SELECT * FROM schedules LIMIT 1);
    INSERT INTO schedule_definitions
    SELECT schedule_key, json_set(definition, '$.scheduleId', schedule_id), payload
    FROM schedules CROSS JOIN (SELECT definition, payload FROM schedule_definitions LIMIT 1)
    WHERE schedule_key NOT IN (SELECT schedule_key FROM schedule_definitions);
    COMMIT;
    PRAGMA wal_checkpoint(TRUNCATE);`);
  db.close();
}

async function copyInDatabase(databaseUrl: string, count: number): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(`
    WITH copied AS (
      INSERT INTO schedules (account_id, schedule_id, target_id, paused, payload)
      SELECT account_id, schedule_id || i, target_id, paused, payload
      FROM schedules, generate_series(1, ${count - 1}) AS i RETURNING schedule_key, account_id
    )
    INSERT INTO schedule_states (schedule_key, account_id, look_time, schedule)
    SELECT c.schedule_key, c.account_id, h.look_time, h.schedule FROM copied c, schedule_states h`);
  await client.query("VACUUM ANALYZE schedules, schedule_states");
  await client.query("CHECKPOINT");
  await client.end();
}
