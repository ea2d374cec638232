import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openDatabase } from "../../database/open-database.ts";
import { prepareReadingVerbs } from "../../reading/reading-verbs.ts";
import type { ReadingContext } from "./reading-context.ts";

/** The exchange of the encryption key reads all messages once, a few at a time, in the order of their keys. */
const isWalk = (text: string): boolean => /ORDER BY message_key LIMIT \d+$/.test(text);

test("statistics find their place in an index, and sort nothing", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "postdate-stats-plans-"));
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
  prepareReadingVerbs({ db: noting } as unknown as ReadingContext);
  expect(texts.length).toBeGreaterThan(10);
  for (const text of texts) {
    const steps = db.prepare(`EXPLAIN QUERY PLAN ${text}`).all();
    const details = steps.map((row) => String(row["detail"]));
    expect(
      details.filter((detail) =>
        /^USE TEMP|^SCAN (?!\(subquery|SUBQUERY)|SEARCH \w+$/.test(detail),
      ),
      text,
    ).toEqual([]);
    const ofMessages = isWalk(text)
      ? /INTEGER PRIMARY KEY \(rowid>\?\)/
      : /messages_(?:scheduled|dead) \(target_key=\? AND \w+_time/;
    for (const detail of details.filter((each) => /^SEARCH (?:m|messages) /.test(each))) {
      expect(detail, text).toMatch(ofMessages);
    }
  }
});
