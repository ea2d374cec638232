import { isDeepStrictEqual } from "node:util";
import type { Asked, Due, ScheduleAsked } from "./history.ts";
import type { Violation } from "./violation.ts";

/** The evidence of which call asked for a message. */
export interface Looks {
  readonly targetId: string | null;
  readonly times: { readonly dueAt: number; readonly schedulingTime: number } | null;
  readonly payload: string | null;
}

/**
 * Calls that can make only one message together: all calls with one key, or a single call without a key.
 */
interface Slot {
  readonly asks: ScheduleAsked[];
  isTaken: boolean;
}

export interface ScheduleSlots {
  /** By message id. */
  readonly acknowledged: ReadonlyMap<string, readonly ScheduleAsked[]>;
  readonly found: readonly Violation[];
  /** The calls that made a message of which no caller was told. A sentence if no call can have made it. */
  adopt(looks: Looks): readonly ScheduleAsked[] | string;
  /** Lost calls that no message was found for, those of one key together. */
  unfound(): readonly (readonly ScheduleAsked[])[];
}

/** G2, for messages without a message key: an idempotency key makes one message, a lost call makes one or none, and a refused call makes none. */
export function scheduleSlots(asked: readonly Asked[]): ScheduleSlots {
  const slots: Slot[] = [];
  const byKey = new Map<string, Slot>();
  for (const call of asked) {
    if (call.verb !== "schedule" && call.verb !== "batch item") continue;
    if (call.wantedKey !== undefined) continue;
    const name = call.key === null ? null : `${call.accountId}/${call.verb}/${call.key}`;
    const slot = name === null ? undefined : byKey.get(name);
    if (slot !== undefined) slot.asks.push(call);
    else {
      const opened = { asks: [call], isTaken: false };
      slots.push(opened);
      if (name !== null) byKey.set(name, opened);
    }
  }

  const acknowledged = new Map<string, readonly ScheduleAsked[]>();
  const found: Violation[] = [];
  for (const slot of slots) {
    const told = slot.asks.flatMap((ask) =>
      ask.answer.kind === "ok" ? [{ ask, messageId: ask.answer.message.messageId }] : [],
    );
    const [first] = told;
    if (first === undefined) continue;
    slot.isTaken = true;
    for (const { ask, messageId } of told) {
      const says = complaint(ask, first.ask, messageId, first.messageId);
      if (says !== undefined) found.push({ promise: "G2", messageId, says });
    }
    for (const messageId of new Set(told.map((each) => each.messageId))) {
      if (acknowledged.has(messageId)) {
        found.push({ promise: "G2", messageId, says: "was the answer to several separate calls" });
      } else {
        acknowledged.set(
          messageId,
          slot.asks.filter((ask) => isOf(ask, messageId)),
        );
      }
    }
  }

  const byLooks = Map.groupBy(slots, ({ asks }) => looksLike(asks[0]!.targetId, asks[0]!.payload));
  return {
    acknowledged,
    found,
    adopt({ targetId, times, payload }) {
      const alike = (byLooks.get(looksLike(targetId, payload)) ?? []).filter(
        ({ asks }) => times === null || isFor(asks[0]!.dueAt, times),
      );
      const lost = alike.find(({ asks, isTaken }) => !isTaken && asks.some(isUnknown));
      if (lost !== undefined) {
        lost.isTaken = true;
        return lost.asks;
      }
      const [other] = alike;
      if (other === undefined) return "is there, though nobody asked for it";
      if (!other.isTaken) return "is there, though the call that asked for it was refused";
      const { key } = other.asks[0]!;
      return key === null
        ? "was made by a call that made another message too"
        : `was made by key ${key}, which made another message too`;
    },
    unfound: () =>
      slots
        .filter(({ isTaken }) => !isTaken)
        .map(({ asks }) => asks.filter(isUnknown))
        .filter((asks) => asks.length > 0),
  };
}

function complaint(
  ask: ScheduleAsked,
  first: ScheduleAsked,
  messageId: string,
  firstId: string,
): string | undefined {
  if (messageId !== firstId) return `was made by key ${ask.key}, which made ${firstId} too`;
  const same =
    ask.payload === first.payload &&
    ask.targetId === first.targetId &&
    isSameDue(ask.dueAt, first.dueAt) &&
    isDeepStrictEqual(ask.options ?? {}, first.options ?? {});
  return same ? undefined : `was answered to another request with key ${ask.key}`;
}

function isSameDue(one: Due, other: Due): boolean {
  return typeof one === "number" || typeof other === "number"
    ? one === other
    : one.delayMs === other.delayMs;
}

function isFor(asked: Due, { dueAt, schedulingTime }: NonNullable<Looks["times"]>): boolean {
  return dueAt === (typeof asked === "number" ? asked : schedulingTime + asked.delayMs);
}

function isOf({ answer }: ScheduleAsked, messageId: string): boolean {
  return answer.kind !== "ok" || answer.message.messageId === messageId;
}

function isUnknown({ answer }: ScheduleAsked): boolean {
  return answer.kind === "unknown";
}

function looksLike(targetId: string | null, payload: string | null): string {
  return `${targetId}\n${payload}`;
}
