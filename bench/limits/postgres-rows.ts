import { randomBytes } from "node:crypto";
import pg from "pg";
import { answerCalls } from "../processes/answer-calls.ts";
import { laterDraft, laterTargets, payloadOf } from "../processes/requests.ts";

/**
 * The limit of storing: rows like those of pending messages go into PostgreSQL, one `unnest` insert
 * after the other on each of two connections. Nothing is parsed, checked, looked up or answered. Rows
 * of earlier measurements stay, as they do with the service.
 */
const connections = 2;

const calls = {
  async rowsPerSecond({
    databaseUrl,
    batch,
    measuredMs,
  }: {
    readonly databaseUrl: string;
    readonly batch: number;
    readonly measuredMs: number;
  }): Promise<number> {
    const clients = await Promise.all(
      Array.from({ length: connections }, async () => {
        const client = new pg.Client({ connectionString: databaseUrl });
        await client.connect();
        return client;
      }),
    );
    const table = `rows_by_${batch}`;
    await clients[0]!.query(schemaOf(table));
    let rows = 0;
    const from = performance.now();
    const work = async (client: pg.Client): Promise<void> => {
      while (performance.now() - from < measuredMs) {
        await client.query({
          name: "insert",
          text: insertInto(table),
          values: valuesOf(batch, rows),
        });
        rows += batch;
      }
    };
    await Promise.all(clients.map(work));
    const tookMs = performance.now() - from;
    await Promise.all(clients.map((client) => client.end()));
    return (rows * 1_000) / tookMs;
  },
};
export type PostgresLimitCalls = typeof calls;
answerCalls(calls);

function valuesOf(batch: number, firstNumber: number): unknown[] {
  const now = Date.now();
  const head = now.toString(16).padStart(12, "0");
  const payload = Buffer.from(payloadOf(firstNumber, now));
  const ids: string[] = [];
  const targets: number[] = [];
  const dueTimes: number[] = [];
  const tails = randomBytes(batch * 10).toString("hex");
  for (let index = 0; index < batch; index++) {
    ids.push(head + tails.slice(index * 20, index * 20 + 20));
    targets.push(1 + Math.floor(Math.random() * laterTargets));
    dueTimes.push(laterDraft(0, now).dueAt);
  }
  return ["acc_default", now, ids, targets, dueTimes, Array.from({ length: batch }, () => payload)];
}

const insertInto = (table: string): string => `
  INSERT INTO ${table} (message_id, account_id, target_key, state, version, scheduling_time,
    original_delivery_time, next_delivery_time, delivery_failure_count, attempt_count,
    attempts_this_round, planning_time, payload)
  SELECT id, $1, target, 0, 1, $2::bigint, due, due, 0, 0, 0, $2::bigint, payload
  FROM unnest($3::uuid[], $4::int[], $5::bigint[], $6::bytea[]) AS given (id, target, due, payload)`;

/** The columns and indexes of the service's messages. */
const schemaOf = (table: string): string => `
  CREATE TABLE IF NOT EXISTS ${table} (
    message_id uuid PRIMARY KEY,
    account_id text NOT NULL,
    target_key integer NOT NULL,
    state smallint NOT NULL,
    version integer NOT NULL,
    scheduling_time bigint NOT NULL,
    original_delivery_time bigint NOT NULL,
    next_delivery_time bigint,
    last_delivery_time bigint,
    dead_letter_time bigint,
    cancellation_time bigint,
    expiration_time bigint,
    delivery_failure_count integer NOT NULL,
    attempt_count integer NOT NULL,
    attempts_this_round integer NOT NULL,
    planning_time bigint NOT NULL,
    payload bytea NOT NULL
  );
  CREATE INDEX IF NOT EXISTS ${table}_a ON ${table} (target_key, next_delivery_time, message_id)
    WHERE next_delivery_time IS NOT NULL;
  CREATE INDEX IF NOT EXISTS ${table}_b ON ${table} (next_delivery_time, target_key) WHERE next_delivery_time IS NOT NULL;
  CREATE INDEX IF NOT EXISTS ${table}_c ON ${table} (target_key, dead_letter_time, message_id)
    WHERE dead_letter_time IS NOT NULL;
  CREATE INDEX IF NOT EXISTS ${table}_d ON ${table} (expiration_time) WHERE expiration_time IS NOT NULL;
`;
