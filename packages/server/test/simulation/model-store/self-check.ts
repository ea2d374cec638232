import { mostAttemptsKept } from "../../../src/domain/attempt.ts";
import type { StoredMessage } from "./message-table.ts";
import type { DatabaseState } from "./database-state.ts";

/** The inconsistencies among what changed since the last check. */
export function checkTouched(state: DatabaseState): string[] {
  const { messages } = state;
  const found = [...checkClaims(state), ...checkCounts(state)];
  for (const messageId of messages.touched) {
    found.push(...checkMessage(state, messages.get(messageId)));
  }
  messages.touched.clear();
  return found;
}

export function checkAll(state: DatabaseState): string[] {
  return [
    ...[...state.messages.all()].flatMap((stored) => checkMessage(state, stored)),
    ...checkClaims(state),
    ...checkCounts(state),
  ];
}

function checkMessage({ messages }: DatabaseState, stored: StoredMessage | undefined): string[] {
  if (stored === undefined) return [];
  const { message, attempts } = stored;
  const { messageId, state, nextDeliveryTime, deadLetterTime, expirationTime } = message;
  const isScheduled = state === "SCHEDULED";
  // Only a failure is followed by another attempt, so those that left the record had failed.
  const forgotten = (attempts[0]?.number ?? 1) - 1;
  const failed = attempts.filter(({ outcome }) => outcome !== "DELIVERED").length;
  const wrong: [boolean, string][] = [
    [isScheduled !== (nextDeliveryTime !== null), `is ${state}, due at ${nextDeliveryTime}`],
    [isScheduled !== (expirationTime === null), `is ${state}, expires at ${expirationTime}`],
    [
      (state === "DEAD_LETTER") !== (deadLetterTime !== null),
      `is ${state}, died ${deadLetterTime}`,
    ],
    [
      forgotten + attempts.length !== message.attemptCount,
      `has ${attempts.length} attempts on record`,
    ],
    [forgotten > 0 && attempts.length < mostAttemptsKept, `has forgotten ${forgotten} attempts`],
    [
      message.attemptsThisRound > message.attemptCount,
      "has more attempts in its round than in all",
    ],
    [
      forgotten + failed !== message.deliveryFailureCount,
      `counts ${message.deliveryFailureCount} failures`,
    ],
    [
      messages.entriesOf(stored).some(({ list, entry }) => !list.has(entry)),
      "is missing from a list",
    ],
    [messages.sharesKey(stored), "has the same key as another scheduled message"],
  ];
  return wrong.filter(([isWrong]) => isWrong).map(([, what]) => `${messageId} ${what}`);
}

function checkClaims({ messages, claims, memberships }: DatabaseState): string[] {
  const found: string[] = [];
  for (const { messageId, version, epoch } of claims.all()) {
    const message = messages.get(messageId)?.message;
    if (message?.state !== "SCHEDULED") found.push(`${messageId} is held and ${message?.state}`);
    else if (message.version !== version) found.push(`${messageId} was changed while it was held`);
    if (!memberships.has(epoch)) found.push(`${messageId} is held by a membership that is over`);
  }
  return found;
}

/** Every message is either scheduled or has ended, and is only in the lists of that state. */
function checkCounts({ messages, claims }: DatabaseState): string[] {
  const { scheduled, dead } = messages.countInLists();
  const [waiting, ended] = [messages.timeline.length, messages.expiring.length];
  const wrong: [boolean, string][] = [
    [
      waiting + ended !== messages.size,
      `${messages.size} messages, ${waiting} + ${ended} in lists`,
    ],
    [scheduled !== waiting, `${waiting} are scheduled, ${scheduled} in the lists of targets`],
    [dead > ended, `${dead} dead letters, ${ended} have ended`],
    [claims.countAll() !== claims.size, `${claims.size} claims, counted ${claims.countAll()}`],
  ];
  return wrong.filter(([isWrong]) => isWrong).map(([, what]) => what);
}
