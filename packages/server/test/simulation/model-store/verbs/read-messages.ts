import { mostAttemptsKept } from "../../../../src/domain/attempt.ts";
import type { Attempt } from "../../../../src/domain/attempt.ts";
import type { Message } from "../../../../src/domain/message.ts";
import type { KeyRef, ListRequest, MessageRef } from "../../../../src/storage/store.ts";
import { hasExpired } from "../message-table.ts";
import type { TimedList } from "../message-table.ts";
import type { Context } from "../database-state.ts";

export function readMessages({ state }: Context) {
  const { clock, messages, targets, rules } = state;

  function list(request: ListRequest, listOf: (targetKey: number) => TimedList): Message[] {
    const { accountId, targetId, minTime, maxTime, after, limit } = request;
    // Includes removed targets, because their messages stay on record until they expire.
    const targetKey = targets.find({ accountId, targetId })?.target.targetKey;
    if (targetKey === undefined) return [];
    const entries = listOf(targetKey);
    const page =
      after === null
        ? entries.from({ time: minTime ?? -Infinity, targetKey, messageId: "" })
        : rules.behind(entries, { ...after, targetKey });
    const now = clock.now();
    const found: Message[] = [];
    for (const { time, messageId } of page) {
      if (found.length >= limit || (maxTime !== null && time > maxTime)) break;
      const stored = messages.get(messageId)!;
      if (!hasExpired(stored, now)) found.push(stored.message);
    }
    return found;
  }

  return {
    getMessage: (ref: MessageRef): Message | undefined => messages.find(ref, clock.now())?.message,
    findByKey({ accountId, targetId, key }: KeyRef): Message | undefined {
      const kept = targets.live({ accountId, targetId });
      return kept && messages.holderOf(kept.target.targetKey, key)?.message;
    },
    getPayload: (ref: MessageRef): string | undefined => messages.find(ref, clock.now())?.payload,
    listAttempts: (ref: MessageRef): readonly Attempt[] | undefined =>
      messages.find(ref, clock.now())?.attempts.slice(-mostAttemptsKept),
    listScheduledMessages: (request: ListRequest): Message[] =>
      list(request, (targetKey) => messages.scheduledOf(targetKey)),
    listDeadLetters: (request: ListRequest): Message[] =>
      list(request, (targetKey) => messages.deadOf(targetKey)),
    counts: () => ({ pending: messages.timeline.length }),
  };
}
