import type { ColumnType, TransferKind, TransferRow, TransferValue } from "../transfer/transfer.ts";
import type { Query } from "./connections/connections.ts";

const arrayTypes: Readonly<Record<ColumnType, string>> = {
  text: "text[]",
  whole: "bigint[]",
  flag: "boolean[]",
  id: "uuid[]",
  bytes: "bytea[]",
};

/** For kinds whose rows are not simply rows of the table with the same name. */
interface Destination {
  readonly table?: string;
  readonly insertion?: (columns: readonly string[], given: string) => string;
  /** What to read back from, as `m`, and which columns do not belong to `m`. */
  readonly from?: string;
  readonly joined?: Readonly<Record<string, string>>;
}

/** For a missing schedule the key is null, and the table refuses it. */
const ofSchedules = (table: string): Destination => ({
  insertion: (columns, given) => {
    const own = columns.filter((column) => column !== "account_id" && column !== "schedule_id");
    return `INSERT INTO ${table} (schedule_key, ${own.join(", ")})
      SELECT s.schedule_key, ${own.map((column) => `u.${column}`).join(", ")} FROM ${given}
      LEFT JOIN schedules s ON s.account_id = u.account_id AND s.schedule_id = u.schedule_id`;
  },
  from: `${table} m JOIN schedules s ON s.schedule_key = m.schedule_key`,
  joined: { account_id: "s.account_id", schedule_id: "s.schedule_id" },
});

/** For a missing target the key is null, and the table refuses it. */
const ofTargets = (table: string): Destination => ({
  insertion: (columns, given) => {
    const own = columns.filter((column) => column !== "account_id" && column !== "target_id");
    return `INSERT INTO ${table} (target_key, ${own.join(", ")})
      SELECT t.target_key, ${own.map((column) => `u.${column}`).join(", ")} FROM ${given}
      LEFT JOIN targets t ON t.account_id = u.account_id AND t.target_id = u.target_id`;
  },
  from: `${table} m JOIN targets t ON t.target_key = m.target_key`,
  joined: { account_id: "t.account_id", target_id: "t.target_id" },
});

const destinations: Partial<Record<TransferKind["name"], Destination>> = {
  targets: {
    // Every target needs a claim fence: without one, nothing is claimed for it. The key is drawn here, for the other tables.
    insertion: (columns, given) => {
      const own = columns.filter((column) => column !== "failing_after").join(", ");
      return `
        WITH u AS MATERIALIZED (
          SELECT nextval('targets_target_key_seq')::int AS target_key, ${columns.join(", ")} FROM ${given}
        ), made AS (
          INSERT INTO targets (target_key, ${own}) OVERRIDING SYSTEM VALUE SELECT target_key, ${own} FROM u
        ), fences AS (
          INSERT INTO target_turns (target_key) SELECT target_key FROM u
        )
        INSERT INTO target_events (target_key, failing_after)
        SELECT target_key, failing_after FROM u WHERE failing_after IS NOT NULL`;
    },
    from: "targets m LEFT JOIN target_events e ON e.target_key = m.target_key",
    joined: { failing_after: "e.failing_after" },
  },
  messages: {
    // For a missing target the messages' key is null, and the table refuses it.
    insertion: (columns, given) => {
      const others = columns.filter((column) => column !== "target_id");
      return `INSERT INTO messages (target_key, ${others.join(", ")})
        SELECT t.target_key, ${others.map((column) => `u.${column}`).join(", ")} FROM ${given}
        LEFT JOIN targets t ON t.account_id = u.account_id AND t.target_id = u.target_id`;
    },
    from: `messages m LEFT JOIN targets t
      ON t.target_key = m.target_key AND t.account_id = m.account_id`,
    joined: { target_id: "t.target_id" },
  },
  messageKeys: ofTargets("message_keys"),
  targetHealth: ofTargets("target_health"),
  schedules: {
    // In two tables, and counted. The key is drawn here, because a join of all rows would take long.
    insertion: (columns, given) => `
      WITH u AS MATERIALIZED (
        SELECT nextval('schedules_schedule_key_seq') AS schedule_key, ${columns.join(", ")} FROM ${given}
      ), made AS (
        INSERT INTO schedules (schedule_key, account_id, schedule_id, target_id, paused, payload)
        OVERRIDING SYSTEM VALUE
        SELECT schedule_key, account_id, schedule_id, target_id, paused, payload FROM u
      ), states AS (
        INSERT INTO schedule_states (schedule_key, account_id, look_time, schedule)
        SELECT schedule_key, account_id, look_time, schedule FROM u
      )
      INSERT INTO schedule_counts AS c (account_id, count)
      SELECT account_id, count(*) FROM u GROUP BY account_id
      ON CONFLICT (account_id) DO UPDATE SET count = c.count + excluded.count`,
    from: "schedules m JOIN schedule_states h ON h.schedule_key = m.schedule_key",
    joined: { look_time: "h.look_time", schedule: "h.schedule" },
  },
  scheduleRuns: ofSchedules("schedule_runs"),
  movedRuns: ofSchedules("moved_runs"),
  usage: {
    table: "usage_shares",
    // All in one share, with the whole limit as its grant. The store distributes it when needed.
    insertion: (_columns, given) => `
      INSERT INTO usage_shares (month, account_id, share, used, granted)
      SELECT u.month, u.account_id, 0, u.used, CASE WHEN a.monthly_message_limit IS NOT NULL
        THEN greatest(a.monthly_message_limit, u.used) END
      FROM ${given} JOIN accounts a ON a.account_id = u.account_id`,
    from: `(SELECT month, account_id, sum(used)::bigint AS used FROM usage_shares
      GROUP BY month, account_id) m`,
  },
};

export function tableOf({ name, table }: TransferKind): string {
  return destinations[name]?.table ?? table;
}

/** One array for each column, so that one statement inserts any number of rows. */
export function insertRows(kind: TransferKind, rows: readonly TransferRow[]): Query {
  const columns = Object.keys(kind.columns);
  const types = Object.values(kind.columns);
  const arrays = types.map((type, index) => `$${index + 1}::${arrayTypes[type]}`);
  const given = `unnest(${arrays.join(", ")}) AS u(${columns.join(", ")})`;
  return {
    name: `transfer-${kind.table}`,
    text:
      destinations[kind.name]?.insertion?.(columns, given) ??
      plainInsertion(kind.table, columns, given),
    values: types.map((type, index) => rows.map((row) => parameter(type, row[index]!))),
  };
}

function plainInsertion(table: string, columns: readonly string[], given: string): string {
  return `INSERT INTO ${table} (${columns.join(", ")}) SELECT * FROM ${given}`;
}

function parameter(type: ColumnType, value: TransferValue): TransferValue | boolean {
  return type === "flag" ? value === 1 : value;
}

/** Every row in the order of its key, with the SHA-256 in place of bytes. */
export function selectRows({ name, table, columns, keyLength }: TransferKind): string {
  const { from = `${table} m`, joined = {} } = destinations[name] ?? {};
  const entries = Object.entries(columns);
  const selected = entries.map(
    ([column, type]) => `${expression(joined[column] ?? `m.${column}`, type)} AS ${column}`,
  );
  const order = entries.slice(0, keyLength).map(([column, type]) => {
    const value = joined[column] ?? `m.${column}`;
    return type === "text" ? `${value} COLLATE "C"` : value;
  });
  return `SELECT ${selected.join(", ")} FROM ${from} ORDER BY ${order.join(", ")}`;
}

function expression(column: string, type: ColumnType): string {
  if (type === "id") return `replace(${column}::text, '-', '')`;
  if (type === "bytes") return `encode(sha256(${column}), 'hex')`;
  return type === "flag" ? `${column}::int` : column;
}
