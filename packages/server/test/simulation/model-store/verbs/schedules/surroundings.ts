import type { Instant } from "../../../../../src/domain/message.ts";
import type { OpenRun, Surroundings } from "../../../../../src/domain/schedules/steps.ts";
import { openRunsSince } from "../../../../../src/domain/schedules/steps/taken-back.ts";
import type { DatabaseState } from "../../database-state.ts";
import { runsOf } from "../../schedule-table.ts";
import type { KeptSchedule } from "../../schedule-table.ts";

/** What steps of schedules must know. */
export function scheduleSurroundings({ messages, claims }: DatabaseState) {
  function isOpen(messageId: string, now: Instant): boolean {
    const message = messages.get(messageId)?.message;
    if (message === undefined || claims.get(messageId) !== undefined) return false;
    const { nextDeliveryTime, attemptCount } = message;
    return nextDeliveryTime !== null && nextDeliveryTime > now && attemptCount === 0;
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
      const since = openRunsSince(kept.schedule, now);
      const openRuns = runs.flatMap(({ runTime, trigger, messageId }): OpenRun[] =>
        runTime > since && messageId !== null && isOpen(messageId, now)
          ? [{ runTime, trigger, messageId }]
          : [],
      );
      const latest = runs.findLastIndex(({ runTime }) => runTime <= now);
      const recordedRuns = runs.slice(Math.max(0, latest));
      return { now, openRuns, recordedRuns, earlier: earlierOf(kept) };
    },
  };
}
