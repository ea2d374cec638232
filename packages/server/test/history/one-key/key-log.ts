import type { Instant } from "../../../src/domain/message.ts";
import type { KeyAsked, ScheduleAsked, Told } from "../history.ts";
import type { MessageLog } from "../message-log.ts";

/** The calls with one idempotency key, which have one effect together, or a single call without one. */
export interface KeyedCall {
  readonly asks: readonly ScheduleAsked[];
  /** The earliest moment at which it may have had its effect. */
  readonly from: Instant;
  /** By when it had its effect. Infinity if no caller was told. */
  readonly until: Instant;
  /** Null if every answer was lost. */
  readonly told: Told | null;
}

/** Everything that is known about one key of a target. */
export interface KeyLog {
  /** How a violation names it. */
  readonly name: string;
  readonly accountId: string;
  readonly targetId: string;
  readonly messageKey: string;
  readonly calls: readonly KeyedCall[];
  /** Each refused call is by itself, because a refusal does not use up an idempotency key. */
  readonly refusals: readonly ScheduleAsked[];
  readonly byKey: readonly KeyAsked[];
  /** The messages that ever had the key, as far as anybody has seen them. */
  readonly messages: readonly MessageLog[];
}

/** What the call asked for. All of its calls asked for the same. */
export function askedBy({ asks }: KeyedCall): ScheduleAsked {
  return asks[0]!;
}

/** Whether the call may change a message that has the key. */
export function mayReplace({ wantedKey }: ScheduleAsked): boolean {
  return wantedKey?.onConflict !== "reject" && wantedKey?.onConflict !== "keep";
}

export function payloadOf(call: KeyedCall): string {
  return askedBy(call).payload;
}

/** The calls that may have made the message, of those whose callers were told. */
export function creatorsOf(
  calls: readonly KeyedCall[],
  messageId: string,
  apartMs: number,
): readonly KeyedCall[] {
  const told = calls.filter(({ told: answer }) => answer?.message.messageId === messageId);
  const created = told.find(({ told: answer }) => answer?.keyOutcome === "created");
  if (created !== undefined) return [created];
  // A message that takes over a key begins within the call. One whose content is replaced began before.
  return told.filter(({ told: answer, from, until }) => {
    const { keyOutcome, message } = answer!;
    const { schedulingTime } = message;
    if (keyOutcome === "kept") return false;
    return from - apartMs <= schedulingTime && schedulingTime <= until + apartMs;
  });
}

/** The call that made the message, as far as that is known. */
export function creatorOf(...args: Parameters<typeof creatorsOf>): KeyedCall | undefined {
  const [first, ...others] = creatorsOf(...args);
  return others.length === 0 ? first : undefined;
}
