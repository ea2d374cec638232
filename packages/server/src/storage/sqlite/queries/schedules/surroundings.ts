import type { Instant } from "../../../../domain/message.ts";
import type { Overlap } from "../../../../domain/schedules/schedule.ts";
import type { OpenRun, Surroundings } from "../../../../domain/schedules/steps.ts";
import { openRunsSince } from "../../../../domain/schedules/steps/taken-back.ts";
import { parseMessageId } from "../../../../platform/message-ids.ts";
import type { StoredMessage } from "../../rows/message-columns.ts";
import type { StoredSchedule } from "../../tables/schedule-table.ts";
import type { Context } from "../context.ts";

/**
 * How many runs are looked at whose time is over. A run is due before the next run time, so only the latest by time
 * can be open, and those that a caller has moved.
 */
const mostOpenRuns = 1_000;

/** What steps of schedules must know. */
export function scheduleSurroundings({ claims, messages, runs }: Context) {
  const find = (messageId: string): StoredMessage | undefined =>
    messages.ifKept(parseMessageId(messageId)!.sequence);

  function isOpen(messageId: string, now: Instant): boolean {
    const stored = find(messageId);
    if (stored === undefined || claims.get(stored.messageKey) !== undefined) return false;
    const { nextDeliveryTime, attemptCount } = stored.message;
    return nextDeliveryTime !== null && nextDeliveryTime > now && attemptCount === 0;
  }

  function openRunsOf({ scheduleKey, schedule }: StoredSchedule, now: Instant): OpenRun[] {
    const over = runs.made(scheduleKey, now, openRunsSince(schedule, now), mostOpenRuns);
    const toCome = runs.since(scheduleKey, now);
    return [...over.toReversed(), ...toCome].flatMap(({ runTime, trigger, messageId }) =>
      messageId !== null && isOpen(messageId, now) ? [{ runTime, trigger, messageId }] : [],
    );
  }

  function earlierOf({ schedule }: StoredSchedule, overlap: Overlap): Surroundings["earlier"] {
    const { earlierMessageId } = schedule.progress;
    if (overlap === "allow" || earlierMessageId === null) return "ended";
    const stored = find(earlierMessageId);
    if (stored?.message.state !== "SCHEDULED") return "ended";
    return claims.get(stored.messageKey) === undefined ? "scheduled" : "in-flight";
  }

  return {
    forAdvance: (stored: StoredSchedule, now: Instant): Surroundings => ({
      ...{ now, openRuns: [], recordedRuns: [] },
      earlier: earlierOf(stored, stored.schedule.overlap),
    }),

    /** `overlap`: that of the schedule after the change. */
    forChange(stored: StoredSchedule, now: Instant, overlap: Overlap): Surroundings {
      const { scheduleKey } = stored;
      const [latest] = runs.before(scheduleKey, now + 1, now, 1);
      const toCome = runs.since(scheduleKey, now);
      return {
        now,
        openRuns: openRunsOf(stored, now),
        recordedRuns: latest === undefined ? toCome : [latest, ...toCome],
        earlier: earlierOf(stored, overlap),
      };
    },
  };
}
