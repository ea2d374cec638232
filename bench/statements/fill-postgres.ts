import type pg from "pg";
import {
  insertMessages,
  messageIdOf,
} from "../../packages/server/src/storage/postgres/message-rows.ts";

const monthMs = 30 * 86_400_000;
const chunk = 1_000_000;

export interface Filling {
  readonly accountId: string;
  readonly targetKeys: readonly number[];
  readonly pending: number;
}

/**
 * Puts messages into the table as if they had been scheduled, only faster: their indexes are made
 * anew at the end. Answers with the ids of a thousand of them.
 */
export async function fillWithPending(
  client: pg.Client,
  { accountId, targetKeys, pending }: Filling,
): Promise<string[]> {
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(
    `SELECT indexname AS name, indexdef AS definition FROM pg_indexes
     WHERE tablename = 'messages' AND indexname <> 'messages_pkey'`,
  );
  for (const { name } of indexes) await client.query(`DROP INDEX ${name}`);
  for (let from = 0; from < pending; from += chunk) {
    await client.query(
      `${insertMessages({
        messageId: `(lpad(to_hex(now_ms() - $4 + g / 100), 12, '0') || '7'
          || lpad(to_hex(g % 100), 3, '0') || '8' || substr(md5(g::text), 1, 15))::uuid`,
        accountId: "$1",
        targetKey: "($2::int[])[1 + floor(random() * $3)::int]",
        schedulingTime: "due.now",
        deliveryTime: "due.at",
        payload: "convert_to(repeat('x', 200), 'UTF8')",
      })}
       FROM generate_series($5::bigint, $6::bigint) AS g
       CROSS JOIN LATERAL (SELECT now_ms() AS now, g AS row,
         now_ms() + 3600000 + floor(random() * $7)::bigint AS at) AS due`,
      [
        accountId,
        targetKeys,
        targetKeys.length,
        Math.ceil(pending / 100) + 60_000,
        from,
        Math.min(from + chunk, pending) - 1,
        monthMs,
      ],
    );
  }
  for (const { definition } of indexes) await client.query(definition);
  await client.query("VACUUM ANALYZE messages");
  await client.query("CHECKPOINT");
  const { rows } = await client.query<{ message_id: string }>(
    `SELECT message_id FROM messages TABLESAMPLE SYSTEM (20) ORDER BY random() LIMIT 1000`,
  );
  return rows.map((row) => messageIdOf(row.message_id));
}
