import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type {
  ComparedTable,
  DataMigrator,
  MigrationRequest,
} from "../surroundings/data-migration.ts";
import { openTerminal } from "../testing/command-line.ts";

const to = "postgres://postdate:secret@db.example:6432/postdate";

function table(kind: string, rows: number, change: Partial<ComparedTable> = {}): ComparedTable {
  const sum = { rows, checksum: "ab" };
  return { kind, source: sum, destination: sum, equal: true, firstDifference: null, ...change };
}

const tables = [table("accounts", 1), table("idempotencyKeys", 1_234_567)];

/** A clock that the test moves, and a migration that moves it between its batches. */
function migrating(run: (request: MigrationRequest, pass: (ms: number) => void) => void) {
  let time = 0;
  const clock = { now: () => time, monotonic: () => time };
  const migrateData: DataMigrator = async (request) => {
    run(request, (ms) => (time += ms));
    return { kind: "migrated", tables };
  };
  return { clock, migrateData };
}

const twoBatches = ({ onEvent }: MigrationRequest, pass: (ms: number) => void): void => {
  onEvent({ kind: "began", rows: 200_000, copied: 0 });
  for (let second = 0; second < 20; second++) {
    pass(1_000);
    onEvent({ kind: "copied", what: "messages", rows: 10_000 });
  }
  onEvent({ kind: "comparing" });
  pass(500);
  onEvent({ kind: "compared", what: "idempotencyKeys", rows: 200_000 });
};

test("without a terminal: a line now and then, and one for each step", async () => {
  const terminal = openTerminal(migrating(twoBatches));
  expect(await terminal.run("migrate", "--from", "./data", "--to", to)).toBe(0);
  const [warning, ...said] = terminal.stderr.text.split("\n");
  expect(warning).toMatch(/^Warning: --to holds a password/);
  expect(warning).not.toContain("secret@");
  expect(said.join("\n")).toBe(`Migrating ./data to db.example:6432/postdate
Copying: 100,000 of 200,000, 10,000/s, 10 s left, messages
Copying: 200,000 of 200,000, 10,000/s, 0 s left, messages
Copied 200,000 rows in 20 s (10,000/s).
Compared 200,000 rows in 500 ms (400,000/s).

Everything is in the database, and the data folder is as it was. Now:
  1. Set POSTDATE_ENCRYPTION_KEY on every node to the key that the server of the data folder was given.
     A node with another key refuses to start.
  2. Start the nodes with --database-url.
  3. Start no server on ./data again: it would deliver everything once more.
`);
  expect(terminal.stdout.text).toBe(`KIND                 SOURCE  DESTINATION  CHECKSUM
accounts                  1            1  equal
idempotency keys  1,234,567    1,234,567  equal
`);
});

test("on a terminal: a bar that redraws itself and is gone at the end", async () => {
  const terminal = openTerminal({ ...migrating(twoBatches), env: { NO_COLOR: "1" } }, 100);
  expect(await terminal.run("migrate", "--from", "./data", "--to", to)).toBe(0);
  const drawn = terminal.stderr.text.split("\r\u001b[K");
  expect(drawn).toContain(
    `Copying ${"█".repeat(12)}${"░".repeat(12)}  50 %  100,000 of 200,000, 10,000/s, 10 s left, messages`,
  );
  expect(drawn).toContainEqual(expect.stringMatching(/^Comparing .* 100 % .*, idempotency keys$/));
  for (const piece of drawn.slice(1, -1)) expect(piece.split("\n").length).toBeLessThan(3);
  expect(drawn.at(-1)).toMatch(/^Compared 200,000 rows/);
});

test("a bar fits its terminal", async () => {
  const terminal = openTerminal({ ...migrating(twoBatches), env: { NO_COLOR: "1" } }, 60);
  const { stderr } = terminal;
  expect(await terminal.run("migrate", "--from", "./data", "--to", to)).toBe(0);
  const bars = stderr.text.split("\r\u001b[K").filter((piece) => piece.includes("░"));
  expect(bars.length).toBeGreaterThan(2);
  for (const bar of bars) {
    expect(bar.split("\n")[0]!.length).toBeLessThan(60);
    expect(bar).toMatch(/of 200,000(, [\d,]+\/s)?(, \d+ s left)?(, \w+)?$/);
  }
});

test("rows from an earlier run are reported, and not counted again", async () => {
  const terminal = openTerminal(
    migrating(({ onEvent }, pass) => {
      onEvent({ kind: "began", rows: 30, copied: 20 });
      pass(1_000);
      onEvent({ kind: "copied", what: "messages", rows: 10 });
      onEvent({ kind: "comparing" });
      onEvent({ kind: "compared", what: "messages", rows: 30 });
    }),
  );
  await terminal.run("migrate", "--from", "./data", "--to", to);
  expect(terminal.stderr.text).toContain("unfinished migration: 20 of 30 rows are there already.");
  expect(terminal.stderr.text).toContain("Copied 10 rows in 1 s (10/s).");
});

test("the key's file is named if it exists, and the key is not shown", async () => {
  const from = mkdtempSync(join(tmpdir(), "postdate-"));
  onTestFinished(() => rmSync(from, { recursive: true }));
  writeFileSync(join(from, "encryption.key"), "abcdef0123456789");
  const terminal = openTerminal({ ...migrating(() => {}), env: { POSTDATE_DATABASE_URL: to } });
  expect(await terminal.run("migrate", "--from", from, "--json")).toBe(0);
  expect(terminal.stderr.text).toContain(`the key in ${join(from, "encryption.key")}.`);
  expect(terminal.stderr.text).not.toContain("abcdef0123456789");
  expect(JSON.parse(terminal.stdout.text)).toEqual({ migrated: true, tables });
});

test("a difference is an error that says where it begins", async () => {
  const different = table("messages", 3, {
    destination: { rows: 2, checksum: "cd" },
    equal: false,
    firstDifference: ["msg_1"],
  });
  const terminal = openTerminal({
    migrateData: async () => ({ kind: "different", tables: [tables[0]!, different] }),
  });
  expect(await terminal.run("migrate", "--from", "./data", "--to", to)).toBe(1);
  expect(terminal.stdout.text).toMatch(/messages +3 +2 +DIFFERENT/);
  expect(terminal.stderr.text).toMatch(
    /These differ:\n {2}messages: the first is msg_1\nNo server/,
  );
  expect(terminal.stderr.text).not.toContain("Everything is in the database");
});

test("a signal stops it between two batches, and the output says how to go on", async () => {
  const began = Promise.withResolvers<void>();
  const terminal = openTerminal(
    {
      env: { NO_COLOR: "1" },
      migrateData: ({ signal, onEvent }) =>
        new Promise((resolve) => {
          onEvent({ kind: "began", rows: 10, copied: 0 });
          signal.addEventListener("abort", () => resolve({ kind: "stopped" }));
          began.resolve();
        }),
    },
    100,
  );
  const exitCode = terminal.run("migrate", "--from", "./data", "--to", to);
  await began.promise;
  terminal.signal("SIGINT");
  expect(await exitCode).toBe(1);
  const lines = terminal.stderr.text.split("\r\u001b[K").at(-1);
  expect(lines).toMatch(
    /^SIGINT: stopping; a second signal ends it at once\nStopped\. .* it goes on from there\.\n$/,
  );
});

test.each([
  [["--from", "./data"], /destination is missing/],
  [["--from", "./data", "--to", "mysql://x"], /^--to must be a URL/],
  [["--to", to], /--from <path>/],
  [["--from", to, "--to", to], /^--from names the data folder/],
  [["--from", to, "--to", "./data"], /^--from names the data folder/],
])("%j is wrong usage", async (argv, hint) => {
  const terminal = openTerminal();
  expect(await terminal.run("migrate", ...argv)).toBe(2);
  expect(terminal.stderr.text).toMatch(hint);
  expect(terminal.stderr.text).not.toContain("secret");
});

test.each([
  [
    new Error("unable to open database file"),
    /the data folder \.\/data cannot be used: .* lock it/,
  ],
  [
    new Error("SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string"),
    /PostgreSQL asks for a password.* PGPASSWORD/,
  ],
  [
    Object.assign(new Error('database "x" does not exist'), { code: "3D000" }),
    /PostgreSQL says: database "x" does not exist\. Make it first: createdb/,
  ],
])("%s is explained", async (error, explained) => {
  const terminal = openTerminal({
    migrateData: async () => {
      throw error;
    },
  });
  expect(await terminal.run("migrate", "--from", "./data", "--to", to)).toBe(1);
  expect(terminal.stderr.text).toMatch(explained);
});

test("a socket is shown as a path", async () => {
  const terminal = openTerminal({ migrateData: () => Promise.reject(new Error("no")) });
  await terminal.run("migrate", "--from", "./data", "--to", "postgres://u@%2Frun%2Fpg/postdate");
  expect(terminal.stderr.text).toContain("Migrating ./data to /run/pg/postdate\n");
});

test("a failure is one sentence", async () => {
  const migrateData = () => Promise.reject(new Error("The database is not empty."));
  const terminal = openTerminal({ migrateData });
  expect(await terminal.run("migrate", "--from", "./data", "--to", to)).toBe(1);
  expect(terminal.stderr.text).toContain("Cannot migrate: The database is not empty.\n");
  expect(terminal.stderr.text).not.toContain("secret");
});
