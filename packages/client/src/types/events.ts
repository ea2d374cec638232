import type { Job } from "./jobs.ts";
import type { Attempt, Message } from "./messages.ts";
import type { ScheduleRun } from "./schedules.ts";
import type { Target } from "./targets.ts";

/** What an account can be told about. In an event, `postdate.` stands before it and `.v1` after it. */
export type EventType =
  | "message.scheduled"
  | "message.rescheduled"
  | "message.replaced"
  | "message.cancelled"
  | "message.attempt_failed"
  | "message.delivered"
  | "message.dead_lettered"
  | "target.created"
  | "target.updated"
  | "target.paused"
  | "target.resumed"
  | "target.removed"
  | "target.failing"
  | "target.recovered"
  | "schedule.created"
  | "schedule.updated"
  | "schedule.paused"
  | "schedule.resumed"
  | "schedule.removed"
  | "schedule.run_created"
  | "schedule.run_skipped"
  | "schedule.run_missed"
  | "job.started"
  | "job.paused"
  | "job.ended"
  | "endpoint.disabled";

/** One type, or all types of a noun. */
export type EventTypePattern =
  | EventType
  | "message.*"
  | "target.*"
  | "schedule.*"
  | "job.*"
  | "endpoint.*";

/** What an event is about, as it was right after the change. */
export interface EventData {
  message?: Message;
  /** The attempt that made the change. */
  attempt?: Omit<Attempt, "response">;
  target?: Pick<
    Target,
    "targetId" | "kind" | "retryPolicy" | "maxConcurrency" | "rateLimit" | "paused"
  >;
  /** Of `target.failing` and `target.recovered`: attempts that failed in a row, and when the first of them ended. */
  health?: { failedAttempts: number; since: string };
  schedule?: {
    scheduleId: string;
    targetId: string;
    paused: boolean;
    pauseReason: "REQUESTED" | "DEAD_LETTERS" | null;
    pausedUntil: string | null;
    nextRunTime: string | null;
    revision: number;
  };
  run?: Pick<ScheduleRun, "runTime" | "trigger" | "outcome" | "reason" | "messageId">;
  job?: Pick<
    Job,
    "jobId" | "action" | "state" | "matched" | "done" | "skipped" | "failedAgain" | "stopReason"
  >;
  /** Of `endpoint.disabled`, of a test, and of a gap. */
  endpoint?: { endpointId: string; statusCode: number | null };
  /** How many events of the account have left the log before a webhook took them. */
  gap?: { events: number };
}

/** An event, as CloudEvents 1.0 in JSON. */
export interface PostdateEvent {
  specversion: "1.0";
  /** The same however often the event is told. */
  id: string;
  /** The account: `/accounts/acc_default`. */
  source: string;
  /** Such as `postdate.message.delivered.v1`. */
  type: string;
  /** What it happened to, such as `messages/msg_…`. */
  subject: string;
  time: string;
  datacontenttype: "application/json";
  data: EventData;
}

/** An event that was read, and its place in the log. */
export interface ReadEvent extends PostdateEvent {
  position: string;
}

/** The next events of an endpoint. */
export interface EventList {
  events: ReadEvent[];
  /** Where to read on. */
  nextPosition: string;
}

/** Which events to read. */
export type ReadEventsQuery = {
  /** A position: only events after it. */
  after?: string;
  /** `oldest`, or a position. */
  from?: string;
  /** The most events, 1 to 1,000; 100 by default. */
  limit?: number;
  /** How long to wait for an event if there is none yet, up to 30,000. */
  waitMs?: number;
};

/** Which events an endpoint gets. Null, or left out: all. */
interface EventFilter {
  /** Without it, all but `message.scheduled` and `message.attempt_failed`. */
  types?: EventTypePattern[] | null;
  /** Only events that concern one of these targets. */
  targetIds?: string[] | null;
  /** Only events of messages that have all of these labels. */
  labels?: Record<string, string> | null;
}

/** A durable subscription to what happens in the account. Never with a secret. */
export interface EventEndpoint extends Required<EventFilter> {
  endpointId: string;
  kind: "stream" | "webhook";
  /** Of a webhook. */
  url?: string;
  /** Of a webhook. Their values are never shown: each is `"set"`. */
  headers?: Record<string, string>;
  /** Of a webhook: the most events in one request. */
  maxBatch?: number;
  paused: boolean;
  /** When the receiver answered 410, after which nothing is sent before a resume. */
  disabledTime: string | null;
  creationTime: string;
  updateTime: string;
  revision: number;
  /** Of a webhook: how far it is. */
  progress?: {
    position: string;
    /** How many events of the account stand in the log behind it. */
    behind: number;
    /** How many requests have failed since the last that succeeded. */
    failures: number;
    retryTime: string | null;
    lastError: string | null;
    lastSuccessTime: string | null;
  };
}

/** An event endpoint. A webhook has its signing secret with it, which is shown once. */
export interface EventEndpointWithSecret extends EventEndpoint {
  secret?: string;
}

/** A new event endpoint. `url`, `headers`, `maxBatch` and `secret` are only for a webhook. */
export interface CreateEventEndpoint extends EventFilter {
  /** 1 to 64 letters, digits, `_` and `-`; generated if it is left out. */
  endpointId?: string;
  kind: "stream" | "webhook";
  url?: string;
  headers?: Record<string, string>;
  /** 1 to 100; 1 by default. */
  maxBatch?: number;
  /** `whsec_` and 24 to 64 bytes in base64. Generated if it is left out. */
  secret?: string;
}

/** The fields to change. Null restores a default. */
export interface UpdateEventEndpoint extends EventFilter {
  url?: string;
  /** Replaces all headers. The value `"set"` keeps the current value of a header. */
  headers?: Record<string, string> | null;
  maxBatch?: number | null;
}

/** From when on to send again, as it travels. */
export interface RewindEventEndpoint {
  to: string;
  /** Whether events may be left out, where the endpoint is not as far yet. */
  skip?: boolean;
}

/** The request of a test. */
export interface EventTestResult {
  endpointId: string;
  eventId: string;
  attempt: Attempt;
}
