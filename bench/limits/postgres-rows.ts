import { randomBytes } from "node:crypto";
import pg from "pg";
import { insertMessages } from "../../packages/server/src/storage/postgres/message-rows.ts";
import {
  upgradeSchema,
  withOneConnection,
} from "../../packages/server/src/storage/postgres/migrate.ts";
import { answerCalls } from "../processes/answer-calls.ts";
import { laterDraft, laterTargets, payloadOf } from "../processes/requests.ts";

/**
 * The limit of keeping: rows like those of pending messages go into PostgreSQL, one `unnest` insert
 * after the other on each of two connections. Nothing is parsed, checked, looked up or answered. What
 * was measured before stays, as it does with the service.
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
    await withOneConnection(databaseUrl, (connection) => upgradeSchema(connection));
    // With the columns and the indexes of the service's messages.
    await clients[0]!.query(`CREATE TABLE IF NOT EXISTS ${table} (LIKE messages INCLUDING ALL)`);
    const text = insertInto(table);
    let rows = 0;
    const from = performance.now();
    const work = async (client: pg.Client): Promise<void> => {
      while (performance.now() - from < measuredMs) {
        await client.query({
          name: "insert",
          text,
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

const insertInto = (table: string): string =>
  `${insertMessages(
    {
      messageId: "id",
      accountId: "$1",
      targetKey: "target",
      schedulingTime: "$2::bigint",
      deliveryTime: "due",
      payload: "payload",
    },
    table,
  )} FROM unnest($3::uuid[], $4::int[], $5::bigint[], $6::bytea[]) AS given (id, target, due, payload)`;
