import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ClockedLocation } from "../../conformance/schedules/schedule-harness.ts";
import type { Store } from "../../store.ts";
import { Reader } from "../reading/reader.ts";
import { verbNames } from "../thread/verbs.ts";
import type { VerbName } from "../thread/verbs.ts";
import { ClockedExecutor, SetClock } from "./clocked-executor.ts";

/** A data folder whose clock stands still until a test sets it. */
export async function clockedFolder(time: number): Promise<ClockedLocation> {
  const dataDir = mkdtempSync(join(tmpdir(), "postdate-clocked-"));
  const clock = new SetClock(time);
  return {
    async open(options) {
      const executor = new ClockedExecutor(dataDir, clock, options);
      const call =
        (verb: VerbName) =>
        async (...args: never[]): Promise<unknown> =>
          executor.run(verb, ...(args as Parameters<Store[VerbName]>));
      const verbs = Object.fromEntries(verbNames.map((verb) => [verb, call(verb)]));
      const reader = new Reader(dataDir);
      const close = async (): Promise<void> => {
        await reader.close();
        executor.close();
      };
      return { ...verbs, ...reader.verbs, clock, sharing: null, close } as unknown as Store;
    },
    async setNow(to) {
      clock.wall = to;
    },
    remove: async () => rmSync(dataDir, { recursive: true }),
  };
}
