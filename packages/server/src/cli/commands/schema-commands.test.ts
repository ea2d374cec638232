import { expect, test } from "vitest";
import type { SchemaKeeper, SchemaState, StoreAddress } from "../schema-keeper.ts";
import { openTerminal } from "../testing/command-line.ts";

const upToDate: SchemaState = {
  store: "embedded",
  version: 2,
  known: 2,
  pending: [],
  migrationUnfinished: false,
};

function keeping(state: Partial<SchemaState>, env: Record<string, string> = {}) {
  const asked: StoreAddress[] = [];
  const answer = { ...upToDate, ...state };
  const keeper: SchemaKeeper = {
    status: async (address) => {
      asked.push(address);
      return answer;
    },
    upgrade: async (address, onApplied) => {
      asked.push(address);
      answer.pending.forEach(onApplied);
      return { ...answer, version: answer.known, pending: [] };
    },
  };
  return { ...openTerminal({ env, openSchema: async () => keeper }), asked };
}

test("status: a card for people, exit code 0 where a server would start", async () => {
  const terminal = keeping({});
  expect(await terminal.run("schema", "status", "--data-dir", "/data")).toBe(0);
  expect(terminal.asked).toEqual([{ dataDir: "/data", databaseUrl: null }]);
  expect(terminal.stdout.text).toBe("Store   embedded, in /data\nSchema  2\nKnown   up to 2\n");
  expect(terminal.stderr.text).toBe("");
});

test("status of a database, from the environment alone, without its password", async () => {
  const url = "postgres://postdate:secret@db/postdate";
  const pending = ["0001_initial", "0002_encryption_check"];
  const state = { store: "postgresql", version: 0, pending } as const;
  const terminal = keeping(state, { POSTDATE_DATABASE_URL: url });
  expect(await terminal.run("schema", "status")).toBe(1);
  expect(terminal.asked).toEqual([{ dataDir: "./postdate-data", databaseUrl: url }]);
  expect(terminal.stdout.text).toBe(`Store    PostgreSQL, db/postdate
Schema   none yet
Known    up to 2
Pending  0001_initial
         0002_encryption_check
`);
  expect(terminal.stderr.text).toBe("`postdate schema upgrade` applies what is pending.\n");
});

test.each([
  [{ version: 3 }, "A newer version of Postdate has upgraded it."],
  [{ migrationUnfinished: true }, "A migration into it is not finished."],
])("status: %j is exit code 1, with what to do", async (state, advice) => {
  const terminal = keeping(state);
  expect(await terminal.run("schema", "status", "--json")).toBe(1);
  expect(JSON.parse(terminal.stdout.text)).toEqual({ ...upToDate, ...state });
  expect(terminal.stderr.text).toContain(advice);
});

test("upgrade names each step, and does nothing twice", async () => {
  const terminal = keeping({ version: 1, pending: ["0002_encryption_check"] });
  expect(await terminal.run("schema", "upgrade")).toBe(0);
  expect(terminal.stdout.text).toBe("Applied 0002_encryption_check\nThe schema is up to date: 2\n");
  const nothing = keeping({});
  expect(await nothing.run("schema", "upgrade")).toBe(0);
  expect(nothing.stdout.text).toBe("The schema is up to date: 2\n");
  const json = keeping({ version: 1, pending: ["0002_encryption_check"] });
  expect(await json.run("schema", "upgrade", "--json")).toBe(0);
  expect(JSON.parse(json.stdout.text)).toEqual({ applied: ["0002_encryption_check"], ...upToDate });
});

test("what cannot be done is one sentence, wrong settings are wrong usage", async () => {
  const openSchema = async () => ({
    status: () => Promise.reject(new Error("no such database")),
    upgrade: () => Promise.reject(new Error("no such database")),
  });
  const terminal = openTerminal({ openSchema });
  expect(await terminal.run("schema", "upgrade")).toBe(1);
  expect(terminal.stderr.text).toBe("no such database\n");
  const wrong = openTerminal({ env: { POSTDATE_DATABASE_URL: "mysql://x" } });
  expect(await wrong.run("schema", "status")).toBe(2);
  expect(wrong.stderr.text).toMatch(/^POSTDATE_DATABASE_URL must be a URL/);
});

async function failingWith(error: Error, ...argv: readonly string[]) {
  const fail = async () => {
    throw error;
  };
  const terminal = openTerminal({ openSchema: async () => ({ status: fail, upgrade: fail }) });
  const exitCode = await terminal.run("schema", ...argv);
  return { exitCode, said: terminal.stderr.text };
}

test("why a store cannot be used is said with what to do", async () => {
  const broken = new Error("file is not a database");
  expect(await failingWith(broken, "upgrade", "--data-dir", "./data")).toEqual({
    exitCode: 1,
    said: expect.stringMatching(/^Cannot use the data directory \.\/data: its postdate\.db/),
  });
  const forbidden = Object.assign(new Error("permission denied"), { code: "42501" });
  expect(await failingWith(forbidden, "status", "--database-url", "postgres://h/d")).toEqual({
    exitCode: 1,
    said: expect.stringMatching(/^PostgreSQL says: permission denied\. Let the role own/),
  });
});
