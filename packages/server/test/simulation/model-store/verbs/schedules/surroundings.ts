import type { Instant } from "../../../../../src/domain/message.ts";
import type { OpenRun, Surroundings } from "../../../../../src/domain/schedules/steps.ts";
import type { DatabaseState } from "../../database-state.ts";
import { runsOf } from "../../schedule-table.ts";
import type { KeptSchedule } from "../../schedule-table.ts";

/** What steps of schedules must know. */
export function scheduleSurroundings({ messages, claims }: DatabaseState) {
  /** Null: it cannot be taken back. */
  function dueTimeOf(messageId: string, now: Instant): Instant | null {
    const message = messages.get(messageId)?.message;
    if (message === undefined || claims.get(messageId) !== undefined) return null;
    const { nextDeliveryTime, attemptCount } = message;
    const isOpen = nextDeliveryTime !== null && nextDeliveryTime > now && attemptCount === 0;
    return isOpen ? nextDeliveryTime : null;
  }

  function earlierOf({ schedule: { progress } }: KeptSchedule): Surroundings["earlier"] {
    const { earlierMessageId } = progress;
    if (earlierMessageId === null) return "ended";
    if (messages.get(earlierMessageId)?.message.state !== "SCHEDULED") return "ended";
    return claims.get(earlierMessageId) === undefined ? "scheduled" : "in-flight";
  }

  return {
    forAdvance: (kept: KeptSchedule, now: Instant): Surroundings => ({
      ...{ now, openRuns: [], recordedRuns: [] },
      earlier: earlierOf(kept),
    }),

    forChange(kept: KeptSchedule, now: Instant): Surroundings {
      const runs = runsOf(kept, now);
      const openRuns = runs.flatMap(({ runTime, trigger, messageId }): OpenRun[] => {
        const dueTime = messageId === null ? null : dueTimeOf(messageId, now);
        return dueTime === null ? [] : [{ runTime, trigger, messageId: messageId!, dueTime }];
      });
      const latest = runs.findLastIndex(({ runTime }) => runTime <= now);
      const recordedRuns = runs.slice(Math.max(0, latest));
      return { now, openRuns, recordedRuns, earlier: earlierOf(kept) };
    },
  };
}
