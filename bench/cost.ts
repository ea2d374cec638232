import { readdirSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import pg from "pg";
import { Caller } from "./caller.ts";
import { startDatabase } from "./postgres.ts";
import { call, key, startReceiver, startServer } from "./processes.ts";

/**
 * What one message costs on PostgreSQL: bytes of write-ahead log, commits, and processor time of the
 * database and of the node, for scheduling one per call and for delivering it. Linux only: processor
 * times are read from /proc.
 */
const { values } = parseArgs({
  options: {
    messages: { type: "string", default: "10000" },
    callers: { type: "string", default: "16" },
    json: { type: "boolean", default: false },
  },
});
const total = Number(values.messages);
const payload = "x".repeat(200);
const ticksPerSecond = 100;

const database = await startDatabase();
const client = new pg.Client({ connectionString: database.url });
await client.connect();
const server = await startServer(database.url);
const receiver = await startReceiver();
await call(server.url, "/v1/targets", { targetId: "t", url: receiver.url });

const dueAt = Date.now() + 1_500 + (total / 1_000) * 1_000;
const start = await reading();
await schedule();
if (Date.now() > dueAt) throw new Error("scheduling took longer than the messages wait");
const scheduled = await reading();
await receiver.arrived(total, 120_000);
while ((await inFlight()) > 0);
const delivered = await reading();

receiver.close();
await client.end();
await server.close();
await database.close();

const rows = {
  "scheduling one": difference(start, scheduled),
  "delivering one": difference(scheduled, delivered),
};
console.log(values.json ? JSON.stringify(rows) : table());

async function schedule(): Promise<void> {
  const body = JSON.stringify({
    targetId: "t",
    deliveryTime: new Date(dueAt).toISOString(),
    payload,
  });
  let left = total;
  const work = async (): Promise<void> => {
    const caller = await Caller.connect(server.url, "/v1/messages", key);
    while (left-- > 0) {
      const { status } = await caller.post(body);
      if (status !== 200) throw new Error(`scheduling was answered with ${status}`);
    }
    caller.close();
  };
  await Promise.all(Array.from({ length: Number(values.callers) }, work));
}

interface Reading {
  readonly walBytes: number;
  readonly commits: number;
  readonly databaseMs: number;
  readonly nodeMs: number;
}

async function reading(): Promise<Reading> {
  // Statistics of a session reach the others a little later, unless they are asked for.
  await client.query("SELECT pg_stat_force_next_flush()");
  const { rows: found } = await client.query<{ wal: string; commits: string }>(
    `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') AS wal,
       (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()) AS commits`,
  );
  return {
    walBytes: Number(found[0]!.wal),
    commits: Number(found[0]!.commits),
    databaseMs: processorMs((command) => command === "postgres"),
    nodeMs: processorMs((_command, pid) => pid === server.pid),
  };
}

async function inFlight(): Promise<number> {
  const { rows: found } = await client.query<{ count: number }>(
    "SELECT count(*)::int AS count FROM claims",
  );
  return found[0]!.count;
}

/** Of the processes that fit, living and reaped. */
function processorMs(fits: (command: string, pid: number) => boolean): number {
  let ticks = 0;
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
      const command = stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")"));
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (fits(command, pid)) ticks += Number(fields[11]) + Number(fields[12]);
    } catch {
      // It has ended meanwhile.
    }
  }
  return (ticks * 1_000) / ticksPerSecond;
}

function difference(from: Reading, to: Reading): Record<string, number> {
  const each = (name: keyof Reading): number =>
    Math.round(((to[name] - from[name]) / total) * 1_000) / 1_000;
  return {
    "WAL bytes": Math.round(each("walBytes")),
    commits: each("commits"),
    "database ms": each("databaseMs"),
    "node ms": each("nodeMs"),
  };
}

function table(): string {
  const [first] = Object.values(rows);
  const lines = [["", ...Object.keys(first!)]];
  for (const [name, row] of Object.entries(rows))
    lines.push([name, ...Object.values(row).map(String)]);
  return lines
    .map(([name, ...cells]) => name!.padEnd(16) + cells.map((cell) => cell.padStart(14)).join(""))
    .join("\n");
}
