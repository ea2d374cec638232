import type { TrackedMessage } from "../../../../../src/domain/message.ts";
import type { Run } from "../../../../../src/domain/schedules/run.ts";
import type { ScheduleDefinition } from "../../../../../src/domain/schedules/schedule.ts";
import { cancelled, scheduled } from "../../../../../src/domain/transitions.ts";
import { hourly } from "../../../../../src/storage/conformance/schedules/schedule-harness.ts";
import type { ScheduleEvent } from "../../../model-store/schedule-journal.ts";
import type { Meaning } from "../../oracle/meaning.ts";
import type { RunsMessage, ScheduleHistory } from "../schedule-history.ts";

/** Parts for histories of one schedule `s` that is due at each full hour, created right after noon. */

export const second = 1_000;
export const hour = 3_600 * second;
export const noon = Date.UTC(2027, 5, 1, 12);
export const of = { scheduleKey: 1 } as const;

export const everyHour: Meaning = {
  rule: {
    kind: "cron",
    crons: [{ isFixed: false, seconds: [0], names: (minute) => minute.getUTCMinutes() === 0 }],
  },
  ...{ zone: "UTC", startTime: null, endTime: null, exceptTimes: [], exceptDays: [] },
};

export function definition(change: Partial<ScheduleDefinition> = {}): ScheduleDefinition {
  return hourly({ payload: "d", ...change });
}

export function created(change: Partial<ScheduleDefinition> = {}): ScheduleEvent {
  const ref = { accountId: "acc", scheduleId: "s" };
  return { ...of, kind: "created", at: noon + 1, ...ref, definition: definition(change) };
}

export function run(runTime: number, change: Partial<Run> = {}): Run {
  const messageId = change.outcome === undefined ? `m${runTime}` : null;
  return { runTime, trigger: "TIME", outcome: "CREATED", reason: null, messageId, ...change };
}

export function runsAt(at: number, ...runs: Run[]): ScheduleEvent {
  return { ...of, kind: "runs", at, runs, undone: [] };
}

export const changedAt = (
  at: number,
  change: Extract<ScheduleEvent, { kind: "changed" }>["change"],
): ScheduleEvent => ({ ...of, kind: "changed", at, change });

export const pausedAt = (at: number): ScheduleEvent =>
  changedAt(at, { kind: "pause", note: null, until: null });

/** The message of a run, due at its time and delivered then. */
export function messageOf(
  runTime: number,
  change: Partial<RunsMessage> & { readonly message?: TrackedMessage } = {},
): RunsMessage {
  const options = { schedule: { scheduleId: "s", runTime } };
  const draft = { messageId: `m${runTime}`, targetId: "t", deliveryTime: runTime, options };
  const message = scheduled(draft, runTime - 5 * second);
  const delivered = { endedAt: runTime + 9, attemptTimes: [runTime] };
  return { accountId: "acc", payload: "d", message, ...delivered, ...change };
}

/** The message of a run that ended, as a rule right after its time. */
export function endedAs(
  state: "DELIVERED" | "DEAD_LETTER",
  runTime: number,
  endedAt = runTime + 9,
): RunsMessage {
  const { message } = messageOf(runTime);
  return messageOf(runTime, { message: { ...message, state }, endedAt });
}

export function takenBackAt(runTime: number, at: number): RunsMessage {
  const message = cancelled(messageOf(runTime).message, at, hour)!;
  return messageOf(runTime, { message, endedAt: at, attemptTimes: [] });
}

export function history(
  events: readonly ScheduleEvent[],
  messages: readonly RunsMessage[],
  change: Partial<ScheduleHistory> = {},
): ScheduleHistory {
  return {
    ...{ events, messages, schedules: [], monthlyLimits: new Map(), usage: [] },
    meanings: new Map([["d", everyHour]]),
    excuses: { hold: () => false },
    ...{ clockErrorMs: 0, setBackMs: 0, beginTime: noon - hour, endTime: noon + 2.5 * hour },
    ...change,
  };
}
