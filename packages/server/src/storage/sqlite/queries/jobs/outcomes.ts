import { mostWatched } from "../../../../domain/job.ts";
import { messageStates } from "../../../../domain/message.ts";
import type { Instant } from "../../../../domain/message.ts";
import type { JobTally } from "../../../job-tally.ts";
import type { Context } from "../context.ts";

/** Counts the redriven messages whose next attempt has ended, and those that will have none. */
export function redriveOutcomes({ db, jobMessages }: Context) {
  // Without the options, which may be long: a look reads up to a thousand messages.
  const select = db.prepare(
    "SELECT state, attempt_count, last_delivery_time FROM messages WHERE message_key = ?",
  );

  function find(messageKey: number) {
    const row = select.get(messageKey);
    return (
      row && {
        state: messageStates[row["state"] as number]!,
        attemptCount: row["attempt_count"] as number,
        lastDeliveryTime: row["last_delivery_time"] as number | null,
      }
    );
  }

  return (jobKey: number, tally: JobTally): void => {
    const ended: { readonly time: Instant; readonly isDelivered: boolean }[] = [];
    for (const { messageKey, attemptCount } of jobMessages.inStage(
      jobKey,
      "watched",
      mostWatched,
    )) {
      const message = find(messageKey);
      const isAttempted = message !== undefined && message.attemptCount > attemptCount!;
      if (message?.state === "SCHEDULED" && !isAttempted) continue;
      if (isAttempted) {
        const isDelivered = message.state === "DELIVERED";
        ended.push({ time: message.lastDeliveryTime!, isDelivered });
      }
      tally.watched--;
      jobMessages.put(jobKey, messageKey, "handled");
    }
    const inOrder = ended.toSorted((one, other) => one.time - other.time);
    tally.delivered = inOrder.map(({ isDelivered }) => isDelivered);
    tally.lookedForOutcomes = true;
  };
}
