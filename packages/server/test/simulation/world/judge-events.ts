import type { LoggedEvent } from "../../../src/domain/events/event.ts";
import type { MessageSnapshot, Snapshot } from "../model-store/snapshot.ts";

/**
 * Holds what was told against what there is. Somebody was told everything from the beginning, so each message must have
 * one event for each of its changes, in their order.
 */
export function judgeEvents({ messages, events }: Snapshot): string[] {
  const problems: string[] = [];
  const byId = new Map(messages.map((each) => [each.message.messageId, each]));
  const about = new Map<string, LoggedEvent[]>();
  for (const [accountId, log] of events) {
    problems.push(...judgeLog(accountId, log));
    for (const event of log) {
      const messageId = event.data.message?.messageId;
      if (messageId === undefined) continue;
      const others = about.get(messageId);
      if (others === undefined) about.set(messageId, [event]);
      else others.push(event);
    }
  }
  for (const messageId of new Set([...byId.keys(), ...about.keys()])) {
    const found = judgeMessage(byId.get(messageId), about.get(messageId) ?? []);
    problems.push(...found.map((problem) => `events of ${messageId}: ${problem}`));
  }
  return problems;
}

function judgeLog(accountId: string, log: readonly LoggedEvent[]): string[] {
  const isDense = log.every(({ position }, index) => position === index + 1);
  const isUnique = new Set(log.map(({ eventId }) => eventId)).size === log.length;
  return [
    ...(isDense ? [] : [`events of ${accountId}: the positions have gaps`]),
    ...(isUnique ? [] : [`events of ${accountId}: an event is there twice`]),
  ];
}

function judgeMessage(kept: MessageSnapshot | undefined, events: readonly LoggedEvent[]): string[] {
  const [first] = events;
  if (first?.type !== "message.scheduled") return [`it begins with ${first?.type ?? "nothing"}`];
  const last = events.at(-1)!.data.message!;
  const problems = events.slice(1).flatMap((event, index) => judgeOrder(events[index]!, event));
  if (kept === undefined) {
    // Only what has ended is forgotten.
    return last.state === "SCHEDULED"
      ? [...problems, "it is gone, and nothing says why"]
      : problems;
  }
  const { message, attempts } = kept;
  const { state, nextDeliveryTime, deliveryFailureCount } = message;
  const isLast =
    last.state === state &&
    last.nextDeliveryTime === nextDeliveryTime &&
    last.deliveryFailureCount === deliveryFailureCount;
  if (!isLast) problems.push(`the last one says ${last.state}, and it is ${state}`);
  // An attempt and the dead letter that it makes are one change.
  const changes = events.filter(
    ({ type, data }) => type !== "message.dead_lettered" || data.attempt === undefined,
  );
  if (changes.length !== message.version) {
    problems.push(`${changes.length} are told of ${message.version} changes`);
  }
  const lastFailures = events.filter(
    ({ type, data }) => type === "message.attempt_failed" && data.message!.state === "DEAD_LETTER",
  );
  const deaths = events.filter((event) => !changes.includes(event));
  const places = (some: readonly LoggedEvent[]) => some.map((event) => events.indexOf(event));
  if (
    places(lastFailures).join() !==
    places(deaths)
      .map((place) => place - 1)
      .join()
  ) {
    problems.push("its last attempts and its dead letters differ");
  }
  const told = changes.flatMap(({ data }) => data.attempt ?? []);
  const numbers = (list: readonly { readonly number: number; readonly outcome: string }[]) =>
    list.map(({ number, outcome }) => `${number} ${outcome}`).join(", ");
  if (numbers(told) !== numbers(attempts)) {
    problems.push(`attempts ${numbers(told)} are told of ${numbers(attempts)}`);
  }
  return problems;
}

function judgeOrder(before: LoggedEvent, after: LoggedEvent): string[] {
  const attemptOf = ({ data }: LoggedEvent) => data.attempt?.number ?? 0;
  const isDelivered = before.type === "message.delivered";
  if (isDelivered || after.type === "message.scheduled") {
    return [`${after.type} follows ${before.type}`];
  }
  const isBack =
    after.data.message!.deliveryFailureCount < before.data.message!.deliveryFailureCount ||
    (attemptOf(after) > 0 && attemptOf(after) < attemptOf(before));
  return isBack ? [`${after.type} is told after a later ${before.type}`] : [];
}
