import { applyWaitingChanges } from "../../../domain/transitions.ts";
import type { Holder } from "../../store.ts";
import type { WorkContext } from "./context.ts";
import { writeMessages } from "../rows/write-messages.ts";
import { answersOf, answerWaitingChanges, endClaims, lockClaims } from "./waiting-changes.ts";

export function releaseClaims({ connections, held, retentionMs }: WorkContext) {
  return async (holder: Holder, messageIds: readonly string[]): Promise<void> => {
    // Before this call has the locks, its claims may be found as lost and claimed again. Those
    // later claims belong to a later generation.
    const generation = held.generationOf(holder);
    // Forgets the claim first: if giving it back fails, it counts as lost and is found as such.
    for (const messageId of messageIds) {
      const known = held.find(holder, messageId);
      if (known !== undefined) held.drop(holder, known);
    }
    await connections.transaction(async (run) => {
      const found = await lockClaims(
        run,
        messageIds.map((messageId) => ({ epoch: holder.epoch, messageId })),
        generation,
      );
      const claims = [...found.values()];
      const changed = claims
        .filter(({ waitingChanges }) => waitingChanges.length > 0)
        .map((claim) => {
          const { targetKey, eventMask, message, waitingChanges, now } = claim;
          const settled = applyWaitingChanges(message, waitingChanges, now, retentionMs);
          const answers = answersOf(claim, settled);
          const decisions = settled.answers.map(({ decision }) => decision);
          const change = { targetKey, eventMask, now, before: message, after: settled.message };
          return { ...change, decisions, answers };
        });
      await writeMessages(run, changed);
      await endClaims(run, claims);
      await answerWaitingChanges(
        run,
        changed.flatMap(({ answers }) => answers),
      );
    });
  };
}
