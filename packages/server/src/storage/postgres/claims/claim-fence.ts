import type { Run } from "../connections.ts";

/**
 * Every target has a claim fence: a number that whoever claims for the target, changes it or suspends its
 * account moves on. A claim looks at the target first and locks the fence then; a fence that has moved in
 * between means that the look was old, and nothing is claimed. See `queries/claim-due.ts`.
 *
 * Some names in this database are older than the words of the code. Nodes of the version before run on
 * while the schema is upgraded (`docs/operations/upgrades.md`), and a renamed table or column would stop
 * them. So in SQL
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
