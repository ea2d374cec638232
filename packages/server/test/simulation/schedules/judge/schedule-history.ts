import type { TrackedMessage } from "../../../../src/domain/message.ts";
import type { ScheduleEvent } from "../../model-store/schedule-journal.ts";
import type { ScheduleSnapshot, UsageSnapshot } from "../../model-store/snapshot.ts";
import type { Meaning } from "../oracle/meaning.ts";
import type { Excuses } from "./excuses.ts";

/** What is known of one world with schedules. All times are by the store's clock. */
export interface ScheduleHistory {
  readonly events: readonly ScheduleEvent[];
  /** Every message that a schedule has made. */
  readonly messages: readonly RunsMessage[];
  /** The schedules that are left. */
  readonly schedules: readonly ScheduleSnapshot[];
  /** What definitions mean, by their payloads. */
  readonly meanings: ReadonlyMap<string, Meaning>;
  readonly excuses: Excuses;
  /** Of the accounts that have one. */
  readonly monthlyLimits: ReadonlyMap<string, number>;
  /** What accounts are charged for. */
  readonly usage: readonly UsageSnapshot[];
  /** How far nodes may be off when they read the store's clock. */
  readonly clockErrorMs: number;
  /** How far the store's clock was set back, all in all. */
  readonly setBackMs: number;
  readonly beginTime: number;
  /** When everything was read. */
  readonly endTime: number;
}

export interface RunsMessage {
  readonly accountId: string;
  readonly message: TrackedMessage;
  readonly payload: string;
  /** When it left SCHEDULED; null: it has not. */
  readonly endedAt: number | null;
  /** When attempts began, the first one first. */
  readonly attemptTimes: readonly number[];
  /** A caller has brought it back after its end. How it ended is not known any more. */
  readonly isRevived?: boolean;
}

/** The rules of the service that the judge holds it to. */
export const madeAheadMs = 5_000;
export const onTimeMs = 10_000;
export const mostQueuedRuns = 1_000;
export const mostUnmadeRuns = 1_200;
/** A message that has not ended is looked at again after a quarter of the time since its run, within these bounds. */
export const shortestWaitMs = 5_000;
export const longestWaitMs = 600_000;
/** A node that rests looks every 30 s, and the answer may take a while. */
export const lookedAtWithinMs = 40_000;
