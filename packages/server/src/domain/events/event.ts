import type { Attempt } from "../attempt.ts";
import type { Instant } from "../instant.ts";
import type { JobAction, JobState, SkippedMessages, StopReason } from "../job.ts";
import type { Message } from "../message.ts";
import type { MessageOptions } from "../message-options.ts";
import type { RateLimit } from "../rate-limit.ts";
import type { RetryPolicy } from "../retry-policy.ts";
import type { Run } from "../schedules/run.ts";
import type { EventType } from "./event-types.ts";

/** How far an account's log has been written or read. Positions are dense and begin with 1; 0 is before the first. */
export type EventPosition = number;

/** An attempt without the beginning of the target's answer. */
export type EventAttempt = Omit<Attempt, "response">;

/** A message without the sealed values of its headers. */
export interface EventMessage extends Omit<Message, "options"> {
  readonly options:
    | (Omit<MessageOptions, "headers"> & { readonly headerNames?: readonly string[] })
    | null;
}

export interface EventTarget {
  readonly targetId: string;
  readonly kind: string;
  readonly retryPolicy: RetryPolicy;
  readonly maxConcurrency: number;
  readonly rateLimit: RateLimit | null;
  readonly paused: boolean;
}

/** How a target does, in `target.failing` and `target.recovered`. */
export interface EventHealth {
  /** Attempts that failed in a row. */
  readonly failedAttempts: number;
  /** When the first of them ended. */
  readonly since: Instant;
}

export interface EventSchedule {
  readonly scheduleId: string;
  readonly targetId: string;
  readonly paused: boolean;
  readonly pauseReason: "REQUESTED" | "DEAD_LETTERS" | null;
  readonly pausedUntil: Instant | null;
  readonly nextRunTime: Instant | null;
  readonly revision: number;
}

export interface EventJob {
  readonly jobId: string;
  readonly action: JobAction;
  readonly state: JobState;
  readonly matched: number;
  readonly done: number;
  readonly skipped: SkippedMessages;
  readonly failedAgain: number;
  readonly stopReason: StopReason | null;
}

export interface EventEndpointFacts {
  readonly endpointId: string;
  readonly statusCode: number | null;
}

/** What an event says about its subject, as it was right after the change. Never a payload, a secret or an answer. */
export interface EventData {
  readonly message?: EventMessage;
  readonly attempt?: EventAttempt;
  readonly target?: EventTarget;
  readonly health?: EventHealth;
  readonly schedule?: EventSchedule;
  readonly run?: Run;
  readonly job?: EventJob;
  readonly endpoint?: EventEndpointFacts;
}

/** What happened. The store writes it in the commit of the change. */
export interface EventFacts {
  readonly type: EventType;
  /** By the store's clock. */
  readonly time: Instant;
  /** The target that it concerns; null: none. */
  readonly targetId: string | null;
  readonly data: EventData;
}

/** An event in the log of its account. */
export interface LoggedEvent extends EventFacts {
  readonly accountId: string;
  /** The same however often the event is told. */
  readonly eventId: string;
  readonly position: EventPosition;
}

/** The id of what the event is about. */
export function subjectOf({ message, target, schedule, job, endpoint }: EventData): string {
  if (message !== undefined) return `messages/${message.messageId}`;
  if (schedule !== undefined) return `schedules/${schedule.scheduleId}`;
  if (job !== undefined) return `jobs/${job.jobId}`;
  if (endpoint !== undefined) return `event-endpoints/${endpoint.endpointId}`;
  return `targets/${target!.targetId}`;
}

/** How long events stay in the log. */
export const defaultEventRetentionMs = 7 * 86_400_000;
/** How many events the log of an account keeps. */
export const defaultEventLimit = 100_000_000;
