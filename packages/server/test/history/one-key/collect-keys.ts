import { isDeepStrictEqual } from "node:util";
import type { Message } from "../../../src/domain/message.ts";
import type { Asked, History, KeyAsked, ScheduleAsked, Told } from "../history.ts";
import type { MessageLog, OwnEvents } from "../message-log.ts";
import type { Violation } from "../violation.ts";
import { creatorOf, payloadOf } from "./key-log.ts";
import type { KeyedCall, KeyLog } from "./key-log.ts";

/** The calls for one key of a target. */
export interface KeyCalls extends Omit<KeyLog, "messages"> {
  /** Messages that are known to have had the key. */
  readonly messageIds: Set<string>;
}

/** Sorts the calls with keys and what they made by target and key. */
export function collectKeys(
  history: History,
  shown: Iterable<Message>,
): { readonly keys: readonly KeyCalls[]; readonly found: readonly Violation[] } {
  const groups = Map.groupBy(history.asked.filter(isKeyed), (call) =>
    placeOf(call.accountId, call.targetId, keyIn(call)),
  );
  const found: Violation[] = [];
  const keys = [...groups.values()].map((asked) => callsOf(asked, found));
  const byKey = new Map(keys.map((each) => [`${each.targetId}\n${each.messageKey}`, each]));
  const byPayload = new Map(
    keys.flatMap((each) =>
      [...each.calls.map(payloadOf), ...each.refusals.map(({ payload }) => payload)].map(
        (payload) => [`${each.targetId}\n${payload}`, each] as const,
      ),
    ),
  );
  for (const { messageId, targetId, options } of shown) {
    byKey.get(`${targetId}\n${options?.key}`)?.messageIds.add(messageId);
  }
  for (const { messageId, targetId, body } of history.receipts) {
    byPayload.get(`${targetId}\n${Buffer.from(body).toString()}`)?.messageIds.add(messageId);
  }
  return { keys, found };
}

type Keyed = ScheduleAsked | KeyAsked;

function isKeyed(call: Asked): call is Keyed {
  return isByKey(call) || ("wantedKey" in call && call.wantedKey !== undefined);
}

function isByKey(call: Asked): call is KeyAsked {
  return "messageKey" in call;
}

function keyIn(call: Keyed): string {
  return isByKey(call) ? call.messageKey : call.wantedKey!.key;
}

function placeOf(...parts: readonly string[]): string {
  return parts.join("\n");
}

function callsOf(asked: readonly Keyed[], found: Violation[]): KeyCalls {
  const { accountId, targetId } = asked[0]!;
  const messageKey = keyIn(asked[0]!);
  const schedules = asked.filter((call): call is ScheduleAsked => !isByKey(call));
  const byIdempotency = Map.groupBy(schedules, (call) =>
    call.key === null ? call : placeOf(call.verb, call.key),
  );
  const calls: KeyedCall[] = [];
  for (const asks of byIdempotency.values()) {
    const effective = asks.filter(({ answer }) => answer.kind !== "refused");
    if (effective.length > 0) calls.push(callOf(effective, found));
  }
  return {
    name: `key ${messageKey} of ${targetId}`,
    accountId,
    targetId,
    messageKey,
    calls,
    refusals: schedules.filter(({ answer }) => answer.kind === "refused"),
    byKey: asked.filter(isByKey),
    messageIds: new Set(),
  };
}

/** A repeated call gets the same answer as the first call. */
function callOf(asks: readonly ScheduleAsked[], found: Violation[]): KeyedCall {
  let told: Told | null = null;
  let [from, until] = [Infinity, Infinity];
  for (const { askedAt, answeredAt, answer } of asks) {
    from = Math.min(from, askedAt);
    if (answer.kind !== "ok") continue;
    until = Math.min(until, answeredAt);
    told ??= answer;
    if (isDeepStrictEqual(answer, told)) continue;
    const { messageId } = answer.message;
    found.push({ promise: "G2", messageId, says: "was answered differently to a repeated call" });
  }
  return { asks, from, until, told };
}

/** What the checks of a single message need to know about one with a key. */
export function keyedMessage(
  messageId: string,
  { calls, messageKey, accountId, targetId }: Omit<KeyLog, "messages">,
  own: OwnEvents,
  apartMs: number,
): MessageLog {
  const creator = creatorOf(calls, messageId, apartMs);
  const lost = calls.filter(({ told }) => told === null);
  const made = creator?.told?.message;
  const makers = creator ? [creator] : lost.length > 0 ? lost : calls;
  return {
    ...own,
    messageId,
    accountId,
    targetId,
    messageKey,
    payload: creator === undefined ? "" : payloadOf(creator),
    // If it is not known which call made it, nothing is known about its time.
    asked: made?.originalDeliveryTime ?? -Infinity,
    dueAt: made?.originalDeliveryTime ?? -Infinity,
    plannedBy: made?.nextDeliveryTime ?? Infinity,
    options: creator?.asks[0]?.options ?? {},
    schedules: makers.flatMap(({ asks }) => asks),
  };
}
