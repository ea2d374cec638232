import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { StoreUnavailable } from "../../store.ts";
import { openDatabase } from "../database/open-database.ts";
import { Reader } from "./reader.ts";

function makeFolder(): string {
  const dataDir = mkdtempSync(join(tmpdir(), "postdate-reader-"));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  return dataDir;
}

const question = { accountId: "a", targetId: null, list: "scheduled", edges: [0, 1] } as const;

test("a thread that cannot read fails its calls, and the next call starts another", async () => {
  const dataDir = makeFolder();
  const reader = new Reader(dataDir);
  onTestFinished(() => reader.close());
  const count = () => reader.verbs.countMessages({ ...question, after: null });
  await expect(count()).rejects.toThrow(StoreUnavailable);
  const database = openDatabase(dataDir);
  onTestFinished(() => database.close());
  expect(await count()).toEqual({ counts: [0], reached: null });
});

test("a statement that fails is no end of the thread", async () => {
  const dataDir = makeFolder();
  const database = openDatabase(dataDir);
  onTestFinished(() => database.close());
  const reader = new Reader(dataDir);
  onTestFinished(() => reader.close());
  const broken = reader.verbs.countMessages({ ...question, after: "no place" });
  await expect(broken).rejects.toThrow(StoreUnavailable);
  expect(await reader.verbs.countMessages({ ...question, after: null })).toMatchObject({
    reached: null,
  });
});

test("after the end nothing is read", async () => {
  const reader = new Reader(makeFolder());
  await reader.close();
  await expect(reader.verbs.countMessages({ ...question, after: null })).rejects.toThrow("closed");
});
