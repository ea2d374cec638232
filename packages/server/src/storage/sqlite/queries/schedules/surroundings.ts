import type { Instant } from "../../../../domain/message.ts";
import type { Run } from "../../../../domain/schedules/run.ts";
import type { Overlap } from "../../../../domain/schedules/schedule.ts";
import type {
  EarlierState,
  FirmRun,
  OpenRun,
  Surroundings,
} from "../../../../domain/schedules/steps.ts";
import { openRunsSince } from "../../../../domain/schedules/steps/taken-back.ts";
import { parseMessageId } from "../../../../platform/message-ids.ts";
import type { StoredMessage } from "../../rows/message-columns.ts";
import type { StoredSchedule } from "../../tables/schedule-table.ts";
import type { Context } from "../context.ts";

/**
 * How many runs are looked at whose time is over: of the latest, and of those that were moved. A run is due before the
 * next run time, so of all others only the latest by time can be open.
 */
const mostOpenRuns = 1_000;

/** What steps of schedules must know. */
export function scheduleSurroundings({ claims, messages, runs, movedRuns }: Context) {
  const find = (messageId: string): StoredMessage | undefined =>
    messages.ifKept(parseMessageId(messageId)!.sequence);

  /** Undefined: its message cannot be taken back. */
  function openRun(
    { runTime, trigger }: Pick<Run, "runTime" | "trigger">,
    stored: StoredMessage | undefined,
    now: Instant,
  ): OpenRun | undefined {
    if (stored === undefined || claims.get(stored.messageKey) !== undefined) return undefined;
    const { messageId, nextDeliveryTime: dueTime, attemptCount } = stored.message;
    const isOpen = dueTime !== null && dueTime > now && attemptCount === 0;
    return isOpen ? { runTime, trigger, messageId, dueTime } : undefined;
  }

  function openRunsOf({ scheduleKey, schedule }: StoredSchedule, now: Instant): OpenRun[] {
    const over = runs.made(scheduleKey, now, openRunsSince(schedule, now), mostOpenRuns);
    const found = [...over, ...runs.since(scheduleKey, now)].map((run) =>
      run.messageId === null ? undefined : openRun(run, find(run.messageId), now),
    );
    const moved = movedRuns
      .after(scheduleKey, now, mostOpenRuns)
      .map((run) => openRun(run, messages.ifKept(run.messageKey), now));
    // A run may be among both.
    const byTime = new Map(
      [...moved, ...found].flatMap((run) => (run === undefined ? [] : [[run.runTime, run]])),
    );
    return [...byTime.values()].toSorted((one, other) => one.runTime - other.runTime);
  }

  function stateOf(messageId: string | null, overlap: Overlap): EarlierState {
    if (overlap === "allow" || messageId === null) return "ended";
    const stored = find(messageId);
    if (stored?.message.state !== "SCHEDULED") return "ended";
    return claims.get(stored.messageKey) === undefined ? "scheduled" : "in-flight";
  }

  function firmRunOf(
    { scheduleKey, schedule }: StoredSchedule,
    openRuns: readonly OpenRun[],
    overlap: Overlap,
  ): FirmRun | undefined {
    const openIds = new Set(openRuns.map(({ messageId }) => messageId));
    if (!openIds.has(schedule.progress.earlierMessageId ?? "")) return undefined;
    const firm = runs
      .latestMade(scheduleKey, openRuns.length + 1)
      .find(({ messageId }) => !openIds.has(messageId!));
    if (firm === undefined) return undefined;
    const messageId = firm.messageId!;
    return { runTime: firm.runTime, messageId, state: stateOf(messageId, overlap) };
  }

  return {
    forAdvance: (stored: StoredSchedule, now: Instant): Surroundings => ({
      ...{ now, openRuns: [], recordedRuns: [] },
      earlier: stateOf(stored.schedule.progress.earlierMessageId, stored.schedule.overlap),
    }),

    /** `overlap`: that of the schedule after the change. */
    forChange(stored: StoredSchedule, now: Instant, overlap: Overlap): Surroundings {
      const { scheduleKey } = stored;
      const [latest] = runs.before(scheduleKey, now + 1, now, 1);
      const toCome = runs.since(scheduleKey, now);
      const openRuns = openRunsOf(stored, now);
      const firmRun = firmRunOf(stored, openRuns, overlap);
      return {
        ...{ now, openRuns },
        recordedRuns: latest === undefined ? toCome : [latest, ...toCome],
        earlier: stateOf(stored.schedule.progress.earlierMessageId, overlap),
        ...(firmRun && { firmRun }),
      };
    },
  };
}
