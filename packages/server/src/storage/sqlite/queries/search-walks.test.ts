import { mkdtempSync, rmSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "../database/open-database.ts";
import type { OpenDatabase } from "../database/open-database.ts";
import { keyWalks, labelWalks } from "./search-walks.ts";

let dataDir: string;
let database: OpenDatabase;
beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), "postdate-walks-"));
  database = openDatabase(dataDir);
});
afterAll(() => {
  database.close();
  rmSync(dataDir, { recursive: true });
});

/** How SQLite goes through the statements that the function prepares. */
function plansOf(prepare: (db: DatabaseSync) => unknown): string[][] {
  const texts: string[] = [];
  const noting = {
    prepare(text: string) {
      texts.push(text);
      return database.db.prepare(text);
    },
  };
  prepare(noting as DatabaseSync);
  return texts.map((text) =>
    database.db
      .prepare(`EXPLAIN QUERY PLAN ${text}`)
      .all()
      .map((row) => row["detail"] as string),
  );
}

const byRange = "(account_key=? AND label=? AND message_key>? AND message_key<?)";

test.each(["newest", "oldest"] as const)("%s first: by keys, and nothing is sorted", (order) => {
  const [end, select] = plansOf((db) => keyWalks(db, order));
  expect(end).toEqual(["SEARCH messages USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"]);
  expect(select).toEqual([
    "SEARCH m USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)",
    "SEARCH targets USING INTEGER PRIMARY KEY (rowid=?)",
  ]);
  const [endOfLabel, selectLabelled = []] = plansOf((db) => labelWalks(db, order));
  expect(endOfLabel).toEqual([`SEARCH message_labels USING PRIMARY KEY ${byRange}`]);
  expect(selectLabelled.filter((step) => step.startsWith("SEARCH"))).toEqual([
    `SEARCH l USING PRIMARY KEY ${byRange}`,
    "SEARCH o USING PRIMARY KEY (account_key=? AND label=? AND message_key=?)",
    "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)",
    "SEARCH targets USING INTEGER PRIMARY KEY (rowid=?)",
  ]);
  expect(selectLabelled.filter((step) => step.startsWith("USE TEMP"))).toEqual([]);
});
