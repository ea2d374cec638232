import type { Instant } from "../../../src/domain/message.ts";
import type { Context } from "../context.ts";
import type { ScheduleAsked } from "../history.ts";
import { creatorsOf } from "../one-key/key-log.ts";
import type { KeyLog } from "../one-key/key-log.ts";

/** A call that counts against the limit of its account, besides those that made a message which is known. */
export interface Charge {
  readonly accountId: string;
  readonly from: Instant;
  readonly until: Instant;
  /** False if it may not have happened, or may have made a message that is known. */
  readonly isCertain: boolean;
}

/** A content that replaces another counts like a message. A call that keeps the holder does not. */
export function chargesOf(keyLogs: readonly KeyLog[], apartMs: number): Charge[] {
  return keyLogs.flatMap(({ accountId, calls, messages }) => {
    const creators = new Set(
      messages.map(({ messageId }) => creatorsOf(calls, messageId, apartMs)[0]),
    );
    return calls.flatMap((call): Charge[] => {
      if (creators.has(call) || call.told?.keyOutcome === "kept") return [];
      const { from, until, told } = call;
      return [{ accountId, from, until, isCertain: told !== null }];
    });
  });
}

/**
 * Lost calls whose messages may have come and gone unseen. A message that no target saw ended at its `notAfter`, and
 * was removed after the retention.
 */
export function chargesUnseen(
  unfound: readonly (readonly ScheduleAsked[])[],
  { bounds: { retentionMs, clockUncertaintyMs }, takenAt }: Pick<Context, "bounds" | "takenAt">,
): Charge[] {
  const endedBy = takenAt - (retentionMs ?? 0) + clockUncertaintyMs;
  return unfound
    .filter((asks) => asks.some((asked) => earliestOutrun(asked) <= endedBy))
    .map(([first]) => first!)
    .map(({ accountId, askedAt }) => ({
      ...{ accountId, from: askedAt, until: Infinity, isCertain: false },
    }));
}

/** The earliest instant at which the message of a call may have ended by its bound. Infinity: it has none. */
function earliestOutrun({ askedAt, dueAt, options }: ScheduleAsked): Instant {
  const { bound } = options ?? {};
  if (bound === undefined) return Infinity;
  const due = typeof dueAt === "number" ? dueAt : askedAt + dueAt.delayMs;
  return Math.max(askedAt, "notAfter" in bound ? bound.notAfter : due + bound.notAfterMs);
}
