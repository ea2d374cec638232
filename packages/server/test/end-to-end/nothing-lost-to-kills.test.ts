import { test } from "vitest";
import { expectKept } from "../history/expect-kept.ts";
import { killRun } from "../faults/kills/kill-run.ts";

test("sixteen writers under repeated kill -9: nothing lost, nothing after a cancel", async () => {
  expectKept(await killRun({ writers: 16, kills: 3, lifeMs: 700 }));
}, 120_000);
