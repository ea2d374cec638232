import { applyWaitingChanges } from "../../../domain/transitions.ts";
import type { Holder } from "../../store.ts";
import type { Context } from "../context.ts";
import { updateMessages } from "../message-rows.ts";
import { answersOf, answerWaitingChanges, endClaims, lockClaims } from "./waiting-changes.ts";

export function releaseClaims({ connections, held, retentionMs }: Context) {
  return async (holder: Holder, messageIds: readonly string[]): Promise<void> => {
    // Until it has the locks, what it gives back may have been found as lost and claimed anew. That is
    // a later generation.
    const generation = held.generationOf(holder);
    // Forgotten first: a claim that could not be given back is then a lost one, and found as such.
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
          const { message, waitingChanges, now } = claim;
          const settled = applyWaitingChanges(message, waitingChanges, now, retentionMs);
          return { message: settled.message, answers: answersOf(claim, settled) };
        });
      if (changed.length > 0) await run(updateMessages(changed.map(({ message }) => message)));
      await endClaims(run, claims);
      await answerWaitingChanges(
        run,
        changed.flatMap(({ answers }) => answers),
      );
    });
  };
}
