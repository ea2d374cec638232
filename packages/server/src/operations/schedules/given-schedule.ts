import type { MessageOptions } from "../../domain/message-options.ts";
import type { Problem } from "../../domain/refusals.ts";
import type { CatchUp, CatchUpMode, Overlap } from "../../domain/schedules/schedule.ts";
import type { ScheduleDefinition } from "../../domain/schedules/schedule.ts";
import { formatTime } from "../../domain/times.ts";
import type { TimeZones } from "../../domain/time-zones/time-zones.ts";
import { targetIdPattern } from "../../domain/target.ts";
import { payloadProblem } from "../messages/message-draft.ts";
import { readRecurrence, ruleKinds } from "./given-recurrence.ts";
import type { GivenRecurrence } from "./given-recurrence.ts";
import type { GivenRunOptions } from "./given-run-options.ts";

/**
 * A schedule as a caller gives it. A field that failed its schema is undefined. That is the same as null, and as one
 * that was left out: the default.
 */
export interface GivenSchedule extends GivenRecurrence {
  readonly targetId?: string | undefined;
  readonly payload?: string | undefined;
  readonly message?: GivenRunOptions | null | undefined;
  readonly maxRuns?: number | null | undefined;
  readonly flexWindowMs?: number | null | undefined;
  readonly overlap?: Overlap | null | undefined;
  readonly catchUp?: GivenCatchUp | null | undefined;
  readonly pauseAfterDeadLetters?: number | null | undefined;
}

interface GivenCatchUp {
  readonly mode?: CatchUpMode | undefined;
  readonly windowMs?: number | undefined;
}

const usualCatchUp: CatchUp = { mode: "last", windowMs: 365 * 86_400_000 };

export interface ReadDefinition {
  readonly timeZones: TimeZones;
  readonly problems: Problem[];
  /** What was made of `GivenSchedule.message`. */
  readonly message: MessageOptions | null;
}

/** Makes all checks that need no store, and adds to `problems` what is wrong. Undefined: there are problems. */
export function readDefinition(
  given: GivenSchedule,
  { timeZones, problems, message }: ReadDefinition,
): ScheduleDefinition | undefined {
  const { targetId, payload, cron, everyMs, at } = given;
  // From when an interval counts is up to the store, and changes nothing about what is valid.
  const recurrence = readRecurrence(timeZones, given, 0, problems);
  const badPayload = payload === undefined ? undefined : payloadProblem(payload);
  if (badPayload !== undefined) problems.push(badPayload);
  if (problems.length > 0 || recurrence === undefined) return undefined;
  if (targetId === undefined || payload === undefined) return undefined;
  // Some stores cannot search for a malformed id. The caller reports it as an unknown target.
  if (!targetIdPattern.test(targetId)) return undefined;
  return {
    targetId,
    payload,
    message,
    cron: cron == null ? null : [cron].flat(),
    everyMs: everyMs ?? null,
    at: at ?? null,
    timeZone: given.timeZone ?? "UTC",
    startTime: recurrence.startTime,
    endTime: recurrence.endTime,
    maxRuns: given.maxRuns ?? null,
    except: given.except ?? [],
    flexWindowMs: given.flexWindowMs ?? 0,
    overlap: given.overlap ?? "allow",
    catchUp: {
      mode: given.catchUp?.mode ?? usualCatchUp.mode,
      windowMs: given.catchUp?.windowMs ?? usualCatchUp.windowMs,
    },
    pauseAfterDeadLetters: given.pauseAfterDeadLetters ?? null,
  };
}

/** The fields of a schedule as a caller would give them again, without the options of its messages. */
function givenAgain(definition: ScheduleDefinition): Omit<GivenSchedule, "message"> {
  const { startTime, endTime } = definition;
  return {
    targetId: definition.targetId,
    payload: definition.payload,
    cron: definition.cron,
    everyMs: definition.everyMs,
    at: definition.at,
    timeZone: definition.timeZone,
    startTime: startTime === null ? null : formatTime(startTime),
    endTime: endTime === null ? null : formatTime(endTime),
    maxRuns: definition.maxRuns,
    except: definition.except,
    flexWindowMs: definition.flexWindowMs,
    overlap: definition.overlap,
    catchUp: definition.catchUp,
    pauseAfterDeadLetters: definition.pauseAfterDeadLetters,
  };
}

/** A new way to say when replaces the old one. */
export function merged(
  definition: ScheduleDefinition,
  changes: GivenSchedule,
): Omit<GivenSchedule, "message"> {
  const saysWhen = ruleKinds.some((kind) => changes[kind] != null);
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  return {
    ...givenAgain(definition),
    ...(saysWhen && { cron: null, everyMs: null, at: null }),
    ...Object.fromEntries(given),
  };
}
