import { hash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sequenceOf } from "../../platform/message-ids.ts";
import { heldLookTime } from "../held-schedules.ts";
import { refuseNewerSchema, refuseOlderSchema } from "../schema-version.ts";
import type {
  ColumnType,
  RowKey,
  SourceIdentity,
  TransferKind,
  TransferKindName,
  TransferRow,
  TransferSource,
} from "../transfer/transfer.ts";
import { lockDataFolder } from "./database/data-folder-lock.ts";
import { readSchemaStatus } from "./database/migrate.ts";
import { scheduleText } from "./tables/schedule-table.ts";

/**
 * A data folder to move everything out of. It is locked against servers, as one server locks it
 * against another. It is opened read-only: even the log that a crash left behind stays as it is.
 */
export function openTransferSource(dataDir: string): TransferSource {
  const path = join(dataDir, "postdate.db");
  if (!existsSync(path)) {
    throw new Error(`There is no Postdate data in ${dataDir}: it has no postdate.db.`);
  }
  using opening = new DisposableStack();
  opening.use(
    lockDataFolder(
      dataDir,
      "Stop that one first: messages must not be moved while it delivers them.",
    ),
  );
  const db = opening.use(new DatabaseSync(path, { readOnly: true }));
  const status = readSchemaStatus(db);
  refuseNewerSchema(status);
  refuseOlderSchema(status, ` --data-dir ${dataDir}`);
  const identity = readIdentity(db);
  const open = opening.move();
  return {
    identity,
    count({ name, table }) {
      const from = partly.has(name) ? sources[name].from : table;
      const row = db.prepare(`SELECT count(*) AS count FROM ${from}`).get();
      return row!["count"] as number;
    },
    rows: (kind, after) => readRows(db, kind, after),
    close: () => open.dispose(),
  };
}

/** Every start of a server adds a membership, and every new message has a higher key. */
function readIdentity(db: DatabaseSync): SourceIdentity {
  const digest = (...queries: readonly string[]): string =>
    hash("sha256", JSON.stringify(queries.map((sql) => db.prepare(sql).all())), "hex");
  return {
    source: digest("SELECT account_id, creation_time FROM accounts ORDER BY account_key LIMIT 1"),
    state: digest(
      "SELECT node_id, epoch, join_time FROM nodes ORDER BY node_id",
      "SELECT max(message_key) AS last FROM messages",
      "SELECT name, value FROM counters ORDER BY name",
    ),
  };
}

interface Source {
  /** `t` is the kind's own table. */
  readonly from: string;
  readonly order: readonly string[];
  /** Columns that are not the table's own. */
  readonly joined?: Readonly<Record<string, string>>;
  /** The key in the form that the order uses. */
  readonly after?: (key: RowKey) => RowKey;
}

/** CROSS JOIN fixes the order of the loops, which gives the order of the rows without sorting. */
const ofAccounts = (table: string, second: string): Source => ({
  from: `accounts a CROSS JOIN ${table} t ON t.account_key = a.account_key`,
  order: ["a.account_id", `t.${second}`],
  joined: { account_id: "a.account_id" },
});

const targetsOfAccounts = ofAccounts("targets", "target_id");

/** Kinds of which some rows belong to nothing any more, and stay behind. */
const partly = new Set<TransferKindName>(["jobMessages", "scheduleRuns", "movedRuns"]);

const sequence = (id: string | number): number => sequenceOf(Buffer.from(String(id), "hex"));

const sources: Readonly<Record<TransferKindName, Source>> = {
  encryptionCheck: { from: "encryption_check t", order: ["t.only_row"] },
  encryptionKeys: { from: "encryption_keys t", order: ["t.key_id"] },
  accounts: { from: "accounts t", order: ["t.account_id"] },
  usage: {
    from: "monthly_usage t JOIN accounts a ON a.account_key = t.account_key",
    order: ["t.month", "a.account_id"],
    joined: { account_id: "a.account_id" },
  },
  keys: ofAccounts("access_keys", "key_id"),
  clients: {
    from: "clients t CROSS JOIN accounts a ON a.account_key = t.account_key",
    order: ["t.client_id"],
    joined: { account_id: "a.account_id" },
  },
  revokedTokens: { from: "revoked_tokens t", order: ["t.token_id"] },
  signingKeys: { from: "signing_keys t", order: ["t.key_id"] },
  auditEntries: { from: "audit_entries t", order: ["t.entry_id"] },
  targets: {
    ...targetsOfAccounts,
    // The rows of a removed account are emptied in pieces: those that are still to come arrive empty.
    joined: {
      ...targetsOfAccounts.joined,
      removal_time: "coalesce(t.removal_time, a.removal_time)",
      sealed_settings: "iif(a.removal_time IS NULL, t.sealed_settings, '')",
      sealed_secrets: "iif(a.removal_time IS NULL, t.sealed_secrets, '')",
    },
  },
  messages: {
    from: `messages t LEFT JOIN accounts a ON a.account_key = t.account_key
      LEFT JOIN targets g ON g.target_key = t.target_key AND g.account_key = t.account_key`,
    order: ["t.message_key"],
    joined: { account_id: "a.account_id", target_id: "g.target_id" },
    after: ([id]) => [sequence(id!)],
  },
  messageBounds: {
    from: "message_bounds t CROSS JOIN messages m ON m.message_key = t.message_key",
    order: ["t.not_after", "t.message_key"],
    joined: { message_id: "m.message_id" },
    after: ([time, id]) => [time!, sequence(id!)],
  },
  messageLabels: {
    from: `accounts a CROSS JOIN message_labels t ON t.account_key = a.account_key
      CROSS JOIN messages m ON m.message_key = t.message_key`,
    order: ["a.account_id", "t.label", "t.message_key"],
    joined: { account_id: "a.account_id", message_id: "m.message_id" },
    after: ([accountId, label, id]) => [accountId!, label!, sequence(id!)],
  },
  messageKeys: {
    from: `accounts a CROSS JOIN targets g ON g.account_key = a.account_key
      CROSS JOIN message_keys t ON t.target_key = g.target_key
      CROSS JOIN messages m ON m.message_key = t.message_key`,
    order: ["a.account_id", "g.target_id", "t.key"],
    joined: { account_id: "a.account_id", target_id: "g.target_id", message_id: "m.message_id" },
  },
  attempts: {
    from: "attempts t CROSS JOIN messages m ON m.message_key = t.message_key",
    order: ["t.message_key", "t.number"],
    joined: { message_id: "m.message_id" },
    after: ([id, number]) => [sequence(id!), number!],
  },
  idempotencyKeys: ofAccounts("idempotency_keys", "key"),
  jobs: ofAccounts("jobs", "job_id"),
  // A message that has expired since its turn needs no turn again.
  jobMessages: {
    from: `accounts a CROSS JOIN jobs j ON j.account_key = a.account_key
      CROSS JOIN job_messages t ON t.job_key = j.job_key
      CROSS JOIN messages m ON m.message_key = t.message_key`,
    order: ["a.account_id", "j.job_id", "t.message_key"],
    joined: { account_id: "a.account_id", job_id: "j.job_id", message_id: "m.message_id" },
    after: ([accountId, jobId, id]) => [accountId!, jobId!, sequence(id!)],
  },
  schedules: {
    from: `accounts a CROSS JOIN schedules t ON t.account_key = a.account_key
      CROSS JOIN schedule_definitions d ON d.schedule_key = t.schedule_key`,
    order: ["a.account_id", "t.schedule_id"],
    joined: {
      ...{ account_id: "a.account_id", schedule: scheduleText, payload: "d.payload" },
      // What a resumed account has not released yet goes on at once in the other store.
      look_time: `iif(a.suspension_time IS NULL AND t.look_time = ${heldLookTime}, 0, t.look_time)`,
    },
  },
  // Runs of removed schedules are still to expire.
  scheduleRuns: {
    from: `accounts a CROSS JOIN schedules s ON s.account_key = a.account_key
      CROSS JOIN schedule_runs t ON t.schedule_key = s.schedule_key`,
    order: ["a.account_id", "s.schedule_id", "t.run_time"],
    joined: { account_id: "a.account_id", schedule_id: "s.schedule_id" },
  },
  movedRuns: {
    from: `moved_runs t CROSS JOIN messages m ON m.message_key = t.message_key
      CROSS JOIN schedules s ON s.schedule_key = t.schedule_key
      CROSS JOIN accounts a ON a.account_key = s.account_key`,
    order: ["t.message_key"],
    joined: {
      ...{ message_id: "m.message_id", account_id: "a.account_id", schedule_id: "s.schedule_id" },
    },
    after: ([id]) => [sequence(id!)],
  },
  eventEndpoints: ofAccounts("event_endpoints", "endpoint_id"),
  eventLogs: {
    from: "accounts a CROSS JOIN event_logs t ON t.account_key = a.account_key",
    order: ["a.account_id"],
    joined: { account_id: "a.account_id" },
  },
  eventBundles: ofAccounts("event_bundles", "last_position"),
  targetHealth: {
    from: `accounts a CROSS JOIN targets g ON g.account_key = a.account_key
      CROSS JOIN target_health t ON t.target_key = g.target_key`,
    order: ["a.account_id", "g.target_id"],
    joined: { account_id: "a.account_id", target_id: "g.target_id" },
  },
};

/** Exported for the test that checks its plan. */
export function selectRows({ name, columns }: TransferKind, isResumed: boolean): string {
  const { from, order, joined = {} } = sources[name];
  const selected = Object.entries(columns).map(([column, type]) =>
    expression(joined[column] ?? `t.${column}`, type),
  );
  const behind = `WHERE (${order.join(", ")}) > (${order.map(() => "?").join(", ")})`;
  return `SELECT ${selected.join(", ")} FROM ${from} ${isResumed ? behind : ""}
    ORDER BY ${order.join(", ")}`;
}

function expression(column: string, type: ColumnType): string {
  // The digits of nothing are an empty text.
  if (type === "id") return `nullif(lower(hex(${column})), '')`;
  return type === "bytes" ? `CAST(${column} AS BLOB)` : column;
}

function* readRows(
  db: DatabaseSync,
  kind: TransferKind,
  after: RowKey | null,
): Generator<TransferRow> {
  const { after: positionOf = (key: RowKey) => key } = sources[kind.name];
  const select = db.prepare(selectRows(kind, after !== null));
  select.setReturnArrays(true);
  const rows = select.iterate(...(after === null ? [] : positionOf(after)));
  for (const row of rows as Iterable<unknown> as Iterable<TransferRow>) yield row.map(withoutNul);
}

/** Only a key's name or an error text could hold a NUL. The replacement character shows where. */
function withoutNul(value: TransferRow[number]): TransferRow[number] {
  return typeof value === "string" && value.includes("\0")
    ? value.replaceAll("\0", "\u{fffd}")
    : value;
}
