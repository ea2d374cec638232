import type { Run } from "../connections/connections.ts";

/**
 * Every target has a claim fence: a number that moves on with each claim for the target, each
 * change of the target and each suspension of its account. A claim reads the target first and then
 * locks the fence. If the fence has moved in between, the claim has read old data and claims
 * nothing. See `queries/claim-due.ts`.
 *
 * Some names in this database are older than the words of the code. Nodes of the previous version
 * keep running while the schema is upgraded (`docs/operations/upgrades.md`), and a renamed table or
 * column would stop them. So in SQL
 *
 * - the claim fences are `target_turns`, and the fence itself is `turn`;
 * - the generation of a claim is `claims.round`;
 * - `claims.awaited` says that there are waiting changes, in `waiting_changes`.
 */
export async function moveClaimFences(run: Run, targetKeys: readonly number[]): Promise<void> {
  await run({
    name: "move-claim-fences",
    text: "UPDATE target_turns SET turn = turn + 1 WHERE target_key = ANY($1::int[])",
    values: [targetKeys],
  });
}
