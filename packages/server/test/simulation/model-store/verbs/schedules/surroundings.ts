import type { Instant } from "../../../../../src/domain/message.ts";
import { triggersByTime } from "../../../../../src/domain/schedules/run.ts";
import type {
  EarlierState,
  FirmRun,
  OpenRun,
  Surroundings,
} from "../../../../../src/domain/schedules/steps.ts";
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

  function stateOf(messageId: string | null): EarlierState {
    if (messageId === null) return "ended";
    if (messages.get(messageId)?.message.state !== "SCHEDULED") return "ended";
    return claims.get(messageId) === undefined ? "scheduled" : "in-flight";
  }

  function firmRunOf({ runs }: KeptSchedule, openRuns: readonly OpenRun[]): FirmRun | undefined {
    const firm = [...runs.values()]
      .filter((run) => run.outcome === "CREATED" && triggersByTime.includes(run.trigger))
      .filter(({ messageId }) => !openRuns.some((open) => open.messageId === messageId))
      .toSorted((a, b) => a.runTime - b.runTime)
      .at(-1);
    if (firm === undefined) return undefined;
    return {
      runTime: firm.runTime,
      messageId: firm.messageId!,
      state: stateOf(firm.messageId),
    };
  }

  return {
    forAdvance: (kept: KeptSchedule, now: Instant): Surroundings => ({
      ...{ now, openRuns: [], recordedRuns: [] },
      earlier: stateOf(kept.schedule.progress.earlierMessageId),
    }),

    forChange(kept: KeptSchedule, now: Instant): Surroundings {
      const runs = runsOf(kept, now);
      const all = [...kept.waitingRuns, ...kept.runs.values()].toSorted(
        (one, other) => one.runTime - other.runTime,
      );
      const openRuns = all.flatMap(({ runTime, trigger, messageId }): OpenRun[] => {
        const dueTime = messageId === null ? null : dueTimeOf(messageId, now);
        return dueTime === null ? [] : [{ runTime, trigger, messageId: messageId!, dueTime }];
      });
      const latest = runs.findLastIndex(({ runTime }) => runTime <= now);
      const recordedRuns = runs.slice(Math.max(0, latest));
      const { earlierMessageId } = kept.schedule.progress;
      const isOpen = openRuns.some(({ messageId }) => messageId === earlierMessageId);
      const firmRun = isOpen ? firmRunOf(kept, openRuns) : undefined;
      const earlier = stateOf(earlierMessageId);
      return { now, openRuns, recordedRuns, earlier, ...(firmRun && { firmRun }) };
    },
  };
}
