import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { restoreRun } from "../faults/restores/restore-run.ts";
import { makeDataDir } from "../support/server-process.ts";
import { runCommand } from "./support/run-command.ts";

test("a server under load is backed up, killed and restored: nothing from before the backup is lost", async () => {
  const states = await restoreRun({ writers: 4, waiting: 200, backups: 2 });
  expect(states).toEqual({ SCHEDULED: 400 });
}, 60_000);

test("without data, a file or a folder, one sentence says what to do", async () => {
  await using dataDir = await makeDataDir();
  const { path } = dataDir;
  const file = join(path, "monday.db");
  expect(await runCommand(["backup", file, "--data-dir", path]).ended).toEqual({
    code: 1,
    stdout: "",
    stderr: `Cannot back up: There is no data in ${path}. Name the folder with --data-dir.\n`,
  });
  expect(await runCommand(["restore", file, "--data-dir", path]).ended).toEqual({
    code: 1,
    stdout: "",
    stderr: `There is no file ${file}.\n`,
  });
  const env = { POSTDATE_DATABASE_URL: "postgres://postdate@db/postdate" };
  const { code, stderr } = await runCommand(["backup", file], env).ended;
  expect(code).toBe(2);
  expect(stderr).toContain("such as pg_dump, or name a folder with --data-dir");
  expect(existsSync(file)).toBe(false);
});
