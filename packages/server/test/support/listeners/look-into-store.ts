import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { formatMessageId } from "../../../src/platform/message-ids.ts";
import { messageIdOf } from "../../../src/storage/postgres/rows/message-rows.ts";

/** What callers cannot see: how often each message and each target was changed. */
export interface StoreLook {
  readonly versions: ReadonlyMap<string, number>;
  /** By account and target. */
  readonly revisions: ReadonlyMap<string, number>;
}

/** Past the service, into its database. */
export interface LooksIntoStore {
  look(): Promise<StoreLook>;
  /** Resolves when every event that was committed has its place in a log, or should have. */
  whenTold(): Promise<void>;
}

type Row = Record<string, unknown>;
type Rows = readonly Row[];

const messagesQuery = "SELECT message_id, version FROM messages";
const targetsQuery = (accounts: string): string =>
  `SELECT account_id || '/' || target_id AS name, revision FROM targets ${accounts}`;
const patienceMs = 20_000;

function lookOf(messages: Rows, targets: Rows, idOf: (row: Row) => string): StoreLook {
  return {
    versions: new Map(messages.map((row) => [idOf(row), row["version"] as number])),
    revisions: new Map(targets.map((row) => [row["name"] as string, row["revision"] as number])),
  };
}

export function looksIntoPostgres(connectionString: string): LooksIntoStore {
  const query = async (text: string): Promise<Rows> => {
    const client = new pg.Client({ connectionString });
    await client.connect();
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  };
  return {
    look: async () =>
      lookOf(await query(messagesQuery), await query(targetsQuery("")), (row) =>
        messageIdOf(row["message_id"] as string),
      ),
    async whenTold() {
      for (const deadline = Date.now() + patienceMs; Date.now() < deadline; await sleep(50)) {
        if ((await query("SELECT FROM event_outbox LIMIT 1")).length === 0) return;
      }
    },
  };
}

/** The embedded store writes its log itself. */
export function looksIntoFolder(dataDir: string): LooksIntoStore {
  return {
    async look() {
      using db = new DatabaseSync(join(dataDir, "postdate.db"), { readOnly: true });
      const targets = targetsQuery("JOIN accounts USING (account_key)");
      return lookOf(db.prepare(messagesQuery).all(), db.prepare(targets).all(), (row) =>
        formatMessageId(row["message_id"] as Uint8Array),
      );
    },
    async whenTold() {},
  };
}
