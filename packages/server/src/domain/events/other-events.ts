import type { Instant } from "../instant.ts";
import type { Job } from "../job.ts";
import type { Run, RunOutcome } from "../schedules/run.ts";
import type { Schedule } from "../schedules/schedule.ts";
import type { ScheduleChange } from "../schedules/steps.ts";
import type { Target } from "../target.ts";
import type { EventFacts, EventSchedule, EventTarget } from "./event.ts";
import type { EventType, ScheduleEventType } from "./event-types.ts";
import type { HealthStep } from "./target-health.ts";

/** Events of targets, schedules and jobs. */

export function targetEvent(
  type: Extract<EventType, `target.${string}`>,
  target: Target,
  time: Instant,
): EventFacts {
  return { type, time, targetId: target.targetId, data: { target: eventTarget(target) } };
}

/** The types of a change that a caller made to a target. One that pauses or resumes it may change it besides. */
export function targetChangeTypes(
  before: Target,
  { paused = before.paused, ...others }: Partial<Target>,
): (EventType & `target.${string}`)[] {
  const isUpdated = Object.entries(others).some(
    ([part, value]) => JSON.stringify(value) !== JSON.stringify(before[part as keyof Target]),
  );
  if (paused === before.paused) return ["target.updated"];
  return [
    paused ? "target.paused" : "target.resumed",
    ...(isUpdated ? (["target.updated"] as const) : []),
  ];
}

export function healthEvent(
  { type, failedAttempts, since }: NonNullable<HealthStep["event"]>,
  target: Target,
  time: Instant,
): EventFacts {
  const health = { failedAttempts, since };
  return { type, time, targetId: target.targetId, data: { target: eventTarget(target), health } };
}

function eventTarget(target: Target): EventTarget {
  const { targetId, kind, retryPolicy, maxConcurrency, rateLimit, paused } = target;
  return { targetId, kind, retryPolicy, maxConcurrency, rateLimit, paused };
}

/**
 * The types of a schedule's step, besides those of its runs. `before`: null for the first step. `change`: what a caller asked
 * for, if one did.
 */
export function scheduleChangeTypes(
  before: Schedule | null,
  after: Schedule,
  change?: ScheduleChange["kind"],
): ScheduleEventType[] {
  if (before === null) return ["schedule.created"];
  const types: ScheduleEventType[] = [];
  // Also a pause that had ended by itself, and that nobody had noticed yet.
  if (before.pause !== null && after.pause === null) types.push("schedule.resumed");
  const isRevised = before.revision !== after.revision;
  if (change === "pause" ? isRevised : before.pause === null && after.pause !== null) {
    types.push("schedule.paused");
  } else if (isRevised && change !== "resume") types.push("schedule.updated");
  return types;
}

export function scheduleEvent(
  type: ScheduleEventType,
  schedule: Schedule,
  time: Instant,
): EventFacts {
  return {
    type,
    time,
    targetId: schedule.targetId,
    data: { schedule: eventSchedule(schedule) },
  };
}

const runTypes: Readonly<Record<RunOutcome, Extract<EventType, `schedule.run_${string}`>>> = {
  CREATED: "schedule.run_created",
  SKIPPED: "schedule.run_skipped",
  MISSED: "schedule.run_missed",
};

export function runEventType({ outcome }: Pick<Run, "outcome">) {
  return runTypes[outcome];
}

export function runEvent(schedule: Schedule, run: Run, time: Instant): EventFacts {
  return {
    type: runEventType(run),
    time,
    targetId: schedule.targetId,
    data: { schedule: eventSchedule(schedule), run },
  };
}

function eventSchedule(schedule: Schedule): EventSchedule {
  const { scheduleId, targetId, pause, nextRunTime, revision } = schedule;
  return {
    scheduleId,
    targetId,
    paused: pause !== null,
    pauseReason: pause?.reason ?? null,
    pausedUntil: pause?.until ?? null,
    nextRunTime,
    revision,
  };
}

export function jobEvent(
  type: Extract<EventType, `job.${string}`>,
  job: Job,
  time: Instant,
): EventFacts {
  const { jobId, action, state, matched, done, skipped, failedAgain, stopReason } = job;
  return {
    type,
    time,
    targetId: job.filter.targetId,
    data: { job: { jobId, action, state, matched, done, skipped, failedAgain, stopReason } },
  };
}

/** The event of a job's change; undefined: the change is none that anybody is told about. */
export function jobChangeType(
  before: Pick<Job, "state">,
  after: Pick<Job, "state">,
): Extract<EventType, `job.${string}`> | undefined {
  if (before.state === after.state) return undefined;
  if (after.state === "PAUSED") return "job.paused";
  return after.state === "RUNNING" ? undefined : "job.ended";
}

export function endpointDisabledEvent(
  endpointId: string,
  statusCode: number,
  time: Instant,
): EventFacts {
  return {
    type: "endpoint.disabled",
    time,
    targetId: null,
    data: { endpoint: { endpointId, statusCode } },
  };
}
