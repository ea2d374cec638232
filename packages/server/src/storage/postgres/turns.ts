import type { Run } from "./connections.ts";

/** Waits for whoever is claiming for the targets, and lets whoever claims next see the change. */
export async function moveTurnsOn(run: Run, targetKeys: readonly number[]): Promise<void> {
  await run({
    name: "move-turns-on",
    text: "UPDATE target_turns SET turn = turn + 1 WHERE target_key = ANY($1::int[])",
    values: [targetKeys],
  });
}
