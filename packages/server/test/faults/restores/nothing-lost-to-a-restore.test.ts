import { expect, test } from "vitest";
import { restoreRun } from "./restore-run.ts";

test("a busy server is backed up five times, killed, and restored from the last backup", async () => {
  const states = await restoreRun({ writers: 16, waiting: 1_000, backups: 5 });
  expect(states).toEqual({ SCHEDULED: 5_000 });
}, 300_000);
