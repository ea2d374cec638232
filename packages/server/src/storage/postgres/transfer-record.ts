import { formatTime } from "../../domain/times.ts";
import type { SourceIdentity, TransferProgress } from "../transfer/transfer.ts";
import type { Connections, Run } from "./connections/connections.ts";

/**
 * One row in a table of its own says what is being moved into this database, and how far the move
 * has come. Every batch writes it first, and so holds its lock. A killed process may still have a
 * batch running on the server; the process that resumes waits for that batch before it reads.
 */
const createRecord = `
  CREATE TABLE store_transfer (
    source text NOT NULL,
    state text NOT NULL,
    progress text NOT NULL,
    begin_time bigint NOT NULL,
    finish_time bigint
  )`;

const anEmptyOne = "Name an empty database; `createdb <name>` makes one.";

export async function hasUnfinishedTransfer(connections: Connections): Promise<boolean> {
  const run: Run = (query) => connections.query(query);
  if (!(await hasTable(run, "store_transfer"))) return false;
  const rows = await run({
    name: "",
    text: "SELECT 1 FROM store_transfer WHERE finish_time IS NULL",
  });
  return rows.length > 0;
}

export async function refuseUnfinishedTransfer(connections: Connections): Promise<void> {
  if (!(await hasUnfinishedTransfer(connections))) return;
  throw new Error(
    "The migration into this database is not finished. Run the same `postdate migrate` again: " +
      "it resumes where it stopped.",
  );
}

/** How far this source's transfer has come; undefined if the database is empty. */
export async function findTransfer(
  run: Run,
  identity: SourceIdentity,
): Promise<TransferProgress | undefined> {
  if (!(await hasTable(run, "store_transfer"))) {
    await refuseUnlessEmpty(run);
    return undefined;
  }
  const [row] = await run({ name: "", text: "SELECT * FROM store_transfer FOR UPDATE" });
  if (row!["finish_time"] !== null) {
    throw new Error(
      `The migration into this database was finished at ${formatTime(row!["finish_time"])}. ` +
        `Start servers on it. To migrate again, name an empty database.`,
    );
  }
  if (row!["source"] !== identity.source) {
    throw new Error(
      `This database holds an unfinished migration of other data. ` +
        `Finish that one from its own folder. ${anEmptyOne}`,
    );
  }
  if (row!["state"] !== identity.state) {
    throw new Error(
      "A server has worked on the data folder since this migration began, so the copy " +
        `in this database is out of date. ${anEmptyOne}`,
    );
  }
  return JSON.parse(row!["progress"]) as TransferProgress;
}

export async function createTransfer(run: Run, { source, state }: SourceIdentity): Promise<void> {
  await run({ name: "", text: createRecord });
  await run({
    name: "",
    text: "INSERT INTO store_transfer VALUES ($1, $2, '{}', now_ms(), NULL)",
    values: [source, state],
  });
}

export async function recordProgress(run: Run, progress: TransferProgress): Promise<void> {
  await run({
    name: "record-transfer-progress",
    text: "UPDATE store_transfer SET progress = $1",
    values: [JSON.stringify(progress)],
  });
}

export async function recordFinish(run: Run): Promise<void> {
  await run({ name: "", text: "UPDATE store_transfer SET finish_time = now_ms()" });
}

async function refuseUnlessEmpty(run: Run): Promise<void> {
  if (await hasTable(run, "schema_version")) {
    const [row] = await run({
      name: "",
      text: `SELECT EXISTS (SELECT 1 FROM accounts) OR EXISTS (SELECT 1 FROM nodes) AS used`,
    });
    if (row!["used"] !== true) return;
    throw new Error(
      `The database is not empty: a server has worked on it. ${anEmptyOne} ` +
        "Nothing can be merged into data that is there already.",
    );
  }
  const tables = await run({
    name: "",
    text: `SELECT table_name FROM information_schema.tables
      WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'
      ORDER BY table_name LIMIT 4`,
  });
  if (tables.length === 0) return;
  const names = tables.map((row) => row["table_name"] as string);
  const shown = names.length > 3 ? [...names.slice(0, 3), "…"] : names;
  throw new Error(
    `The database is not empty: it has tables of something else (${shown.join(", ")}). ${anEmptyOne}`,
  );
}

async function hasTable(run: Run, table: string): Promise<boolean> {
  const [row] = await run({
    name: "",
    text: "SELECT to_regclass($1) IS NOT NULL AS exists",
    values: [table],
  });
  return row!["exists"] as boolean;
}
