import { test } from "vitest";
import { expectKept } from "../../history/expect-kept.ts";
import { killRun } from "./kill-run.ts";

test("sixteen writers under thirty kills", async () => {
  expectKept(await killRun({ writers: 16, kills: 30, lifeMs: 700 }));
}, 300_000);
