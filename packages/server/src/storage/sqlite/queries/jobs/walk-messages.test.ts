import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openDatabase } from "../../database/open-database.ts";
import type { Context } from "../context.ts";
import { walkMessages } from "./walk-messages.ts";

/** The statements of all walks through messages, and how SQLite goes through each. */
function plans(): Map<string, string[]> {
  const dataDir = mkdtempSync(join(tmpdir(), "postdate-job-walks-"));
  const { db, close } = openDatabase(dataDir);
  onTestFinished(() => {
    close();
    rmSync(dataDir, { recursive: true });
  });
  const texts: string[] = [];
  const noting = {
    prepare(text: string) {
      texts.push(text);
      return db.prepare(text);
    },
  };
  walkMessages({ db: noting } as unknown as Context);
  const planOf = (text: string) => db.prepare(`EXPLAIN QUERY PLAN ${text}`).all();
  const walks = texts.filter((text) => text.includes("FROM message"));
  return new Map(walks.map((text) => [text, planOf(text).map((row) => String(row["detail"]))]));
}

test("a walk finds its place in an index, also among messages of the same time, and sorts nothing", () => {
  const found = plans();
  expect(found.size).toBe(9);
  for (const [text, steps] of found) {
    expect(
      steps.every((step) => step.startsWith("SEARCH")),
      text,
    ).toBe(true);
    const ofMessages = steps.find((step) => step.startsWith("SEARCH m "));
    if (text.includes("_time = ? AND message_key")) {
      expect(ofMessages).toMatch(/target_key=\? AND \w+_time=\? AND rowid[<>]\?\)/);
    } else if (text.includes("m.target_key = ?")) {
      expect(ofMessages).toMatch(/target_key=\? AND \w+_time>\? AND \w+_time<\?\)/);
    }
  }
});
