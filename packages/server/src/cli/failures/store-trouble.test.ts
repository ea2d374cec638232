import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { codeOf, databaseTrouble, folderTrouble } from "./store-trouble.ts";

function errorOf(work: () => void): Error {
  try {
    work();
  } catch (error) {
    return error as Error;
  }
  throw new Error("it worked");
}

function openedBadly(contents: string | null): Error {
  const folder = mkdtempSync(join(tmpdir(), "postdate-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "postdate.db");
  if (contents !== null) writeFileSync(path, contents);
  return errorOf(() => {
    const db = new DatabaseSync(path, { readOnly: true });
    onTestFinished(() => db.close());
    db.prepare("CREATE TABLE t (a)").run();
  });
}

test("errors of SQLite become a short text about the folder", () => {
  const wrongFile = "These are certainly the contents of something else.";
  expect(folderTrouble(openedBadly(wrongFile))).toMatch(/not from Postdate, or damaged/);
  expect(folderTrouble(openedBadly(null))).toMatch(/not a directory, or .* not be written/);
  expect(folderTrouble(openedBadly(""))).toBe("its files may not be written");
});

test.each([
  ["EACCES", "permission denied"],
  ["EROFS", "the file system is read-only"],
  ["ENOTDIR", "it is not a directory"],
  ["ENOENT", "it cannot be created"],
  ["ENOSPC", "the disk is full"],
])("%s is recognised, also from a thread", (code, trouble) => {
  expect(folderTrouble(Object.assign(new Error("no"), { code }))).toBe(trouble);
  expect(folderTrouble(new Error(`${code}: no, open 'x'`))).toBe(trouble);
});

test.each([
  ["28P01", /password authentication failed\. Correct the user and the password/],
  ["28000", /Correct the user/],
  ["3D000", /createdb --owner=<role> --encoding=UTF8 --template=template0/],
  ["42501", /grant it CREATE/],
  ["42P07", /a database of its own/],
])("an error %s of PostgreSQL comes with advice", (code, advice) => {
  const error = Object.assign(new Error("password authentication failed"), { code });
  expect(databaseTrouble(error)).toMatch(advice);
  expect(folderTrouble(error)).toBeUndefined();
  expect(codeOf(error)).toBeUndefined();
});

test("an unknown error is left unchanged", () => {
  const error = Object.assign(new Error("syntax error"), { code: "42601" });
  expect(databaseTrouble(error)).toBeUndefined();
  expect(databaseTrouble(new Error("anything"))).toBeUndefined();
  expect(folderTrouble(new Error("anything"))).toBeUndefined();
});

test("the error for an unreachable database says what to check", () => {
  const cause = Object.assign(new Error("getaddrinfo EAI_AGAIN db"), {
    code: "EAI_AGAIN",
    hostname: "db",
  });
  const error = new Error("PostgreSQL is not available: getaddrinfo EAI_AGAIN db", { cause });
  expect(databaseTrouble(error)).toBe(
    "PostgreSQL cannot be reached: the name db cannot be looked up. Check how it is spelt, and the network of this machine. Check that it runs, and the address in the database URL.",
  );
});
