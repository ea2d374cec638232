import type { Attempt } from "../../src/domain/attempt.ts";
import type { KeyOutcome, WantedKey } from "../../src/domain/message-key.ts";
import type { Instant, Message } from "../../src/domain/message.ts";
import type { RetryPolicy } from "../../src/domain/retry-policy.ts";
import type { ToldEvents } from "./events/told-events.ts";
import type { Fault } from "./faults.ts";

/**
 * Everything that the callers and the targets observed of one run, real or simulated. Instants are the
 * observers' own, in milliseconds. Only those inside a `Message` or an `Attempt` are the store's.
 * `Bounds.clockUncertaintyMs` says how far the two clocks may be apart.
 *
 * The log must be complete: it has every call, every request and every fault. A message in the store that
 * no call asked for is a violation.
 */
export interface History {
  readonly asked: readonly Asked[];
  readonly receipts: readonly Receipt[];
  readonly faults: readonly Fault[];
  readonly targets: readonly TargetTerms[];
  readonly final: Final;
  readonly bounds: Bounds;
  readonly expects: Expectations;
  /** What was told of the run by events. Missing if nobody subscribed. */
  readonly events?: ToldEvents;
  /** The changes of the store's clock during the run, in order. Missing if it was left alone. */
  readonly clockSteps?: readonly ClockStep[];
}

/** Before the first step, the store's clock and the observers' clock agree. */
export interface ClockStep {
  readonly at: Instant;
  /** Negative if the clock was set back. */
  readonly byMs: number;
}

export type Asked = ScheduleAsked | ChangeAsked | GetAsked | KeyAsked | PageAsked;

interface Call {
  readonly accountId: string;
  readonly writer: string;
  readonly askedAt: Instant;
  /** When the answer came, or when the caller gave up. */
  readonly answeredAt: Instant;
}

export interface Refused {
  readonly kind: "refused";
  /** The first code of the answer. `404` for an answer without a body. */
  readonly code: string;
}

/** A 5xx, or no answer at all. The call happened once, may still happen, or never will. */
export interface Unknown {
  readonly kind: "unknown";
  /**
   * The service itself answered with 5xx. The call may still take effect, but not after a later call was
   * decided.
   */
  readonly isGivenUp?: boolean;
}

export interface Told {
  readonly kind: "ok";
  readonly message: Message;
  /** Only of a schedule with a message key. */
  readonly keyOutcome?: KeyOutcome;
}

/** An instant, or a delay that counts by the store's clock from the moment the store takes the call. */
export type Due = Instant | { readonly delayMs: number };

/** An instant, or how long after the delivery time. */
export type AskedBound = { readonly notAfter: Instant } | { readonly notAfterMs: number };

/** What a call asked for besides target, time and payload. */
export interface AskedOptions {
  readonly labels?: Readonly<Record<string, string>>;
  /** With all its parts. */
  readonly retryPolicy?: RetryPolicy;
  readonly bound?: AskedBound;
  readonly flexWindowMs?: number;
}

export interface ScheduleAsked extends Call {
  /**
   * An item of a batch counts as its own call with its own key. An item that has its own key is a
   * "schedule": its key is the same as that of a single call.
   */
  readonly verb: "schedule" | "batch item";
  /** The idempotency key. */
  readonly key: string | null;
  readonly targetId: string;
  /** For a debounce: the quiet time. */
  readonly dueAt: Due;
  /** With a message key: no other call for that key may have the same one, because it tells contents apart. */
  readonly payload: string;
  /** Missing for a plain message. */
  readonly options?: AskedOptions;
  /** Missing without a message key. */
  readonly wantedKey?: WantedKey;
  readonly answer: Told | Refused | Unknown;
}

export interface ChangeAsked extends Call {
  readonly verb: "cancel" | "reschedule";
  readonly messageId: string;
  /** Null for a cancel. */
  readonly dueAt: Due | null;
  /** A new bound, or null for none. Missing if the message keeps its own. */
  readonly bound?: AskedBound | null;
  readonly answer: Told | Refused | Unknown;
}

export interface GetAsked extends Call {
  readonly verb: "get";
  readonly messageId: string;
  readonly answer: Told | Refused | Unknown;
}

/** A call about the scheduled message that has a key. */
export interface KeyAsked extends Call {
  readonly verb: "get by key" | "cancel by key" | "reschedule by key";
  readonly targetId: string;
  readonly messageKey: string;
  /** Null unless it is a reschedule. */
  readonly dueAt: Due | null;
  readonly bound?: AskedBound | null;
  /** A get that finds nothing is refused with 404. */
  readonly answer: Told | Refused | Unknown;
}

/** One page of a walk. If a page was asked for twice, the log has the answer that counted. */
export interface PageAsked extends Call {
  readonly verb: "list page";
  readonly walk: string;
  readonly list: "scheduled" | "dead letters";
  readonly targetId: string;
  readonly minTime: Instant | null;
  readonly maxTime: Instant | null;
  readonly limit: number;
  readonly answer:
    | { readonly kind: "ok"; readonly items: readonly Message[]; readonly isLast: boolean }
    | Refused
    | Unknown;
}

/** One request that reached a target, or that broke off on its way there. */
export interface Receipt {
  /** The message, as far as the observer can tell. The `webhook-id` if it knows nothing else. */
  readonly messageId: string;
  readonly webhookId: string;
  readonly attemptNumber: number;
  readonly targetId: string;
  readonly body: Uint8Array;
  readonly startedAt: Instant;
  /** Null if it was still running when the log ended. */
  readonly endedAt: Instant | null;
  /** The status of the target's complete answer. Null if the target hung or the connection broke. */
  readonly status: number | null;
  /** The sender. Null if it is not known. */
  readonly node: string | null;
}

export interface TargetTerms {
  readonly accountId: string;
  readonly targetId: string;
  /** Null if it changed during the run. */
  readonly retryPolicy: RetryPolicy | null;
  readonly timeoutMs: number | null;
  /** Its messages need not be attempted in time, because the target is paused, limited or removed. */
  readonly mayWait?: boolean;
  /** How quickly the target is served while it has due messages, in order. Missing if that is not known. */
  readonly pace?: readonly Pace[];
}

/** A pace that holds from an instant on. */
export interface Pace {
  readonly from: Instant;
  /** The longest wait between two attempts that its limits cause. Infinity if the target is closed. */
  readonly gapMs: number;
}

export interface FinalMessage {
  readonly message: Message;
  /** All of them: a run makes far fewer at one message than stay on record. */
  readonly attempts: readonly Attempt[];
  readonly payload: string | null;
}

export interface Final {
  readonly takenAt: Instant;
  /** Null if the service no longer knows the message. */
  readonly messages: ReadonlyMap<string, FinalMessage | null>;
  /** Whether `messages` holds every message in the store. */
  readonly isComplete: boolean;
  readonly usage: readonly AccountUsage[];
}

export interface AccountUsage {
  readonly accountId: string;
  readonly month: string;
  readonly used: number;
  /** Null if there is no limit, or if it changed during the run. */
  readonly limit: number | null;
}

export interface Bounds {
  /**
   * How far the store's clock and the observers' may be apart, including steps. 0 if they share one clock.
   */
  readonly clockUncertaintyMs: number;
  /** `safety`: faults last until the end, so a message that has not settled breaks no promise. */
  readonly mode: "safety" | "liveness";
  /** How long a message may still be SCHEDULED after it was due and after the last fault. */
  readonly settleMs: number;
  /** How long others may take to attempt a dead node's messages again. Null if there are no others. */
  readonly takeoverMs: number | null;
  /**
   * How long a node may take after its restart to attempt its own messages again, if there are no others.
   */
  readonly restartMs: number;
  /** A node's lease. Null for an embedded store. */
  readonly leaseMs: number | null;
  /** How long a request may take from the last check of the lease to the target. */
  readonly sendMs: number;
  /** How long after an attempt its outcome is on record, if the store can be reached. */
  readonly recordMs: number;
  /** How long a cancel or reschedule waits for an attempt in flight. */
  readonly changeWaitMs: number;
  /** Null if it is not known or was changed. */
  readonly retentionMs: number | null;
  /** How late other targets may be at the 99th percentile while a target hangs. */
  readonly isolationMs: number;
  /** How long a target with due messages may wait beyond what its own limits cause. */
  readonly stallMs: number;
  /** How long after its `notAfter` a message may be SCHEDULED, if no attempt at it is under way. */
  readonly outrunMs: number;
}

/** The bounds that the promises and the default settings give. */
export const promisedBounds: Bounds = {
  clockUncertaintyMs: 0,
  mode: "liveness",
  settleMs: 20_000,
  takeoverMs: 20_000,
  restartMs: 5_000,
  leaseMs: 10_000,
  sendMs: 1_000,
  recordMs: 6_000,
  changeWaitMs: 5_000,
  retentionMs: null,
  isolationMs: 250,
  stallMs: 3_000,
  outrunMs: 6_000,
};

/** What must have happened at least for the run to prove something. */
export interface Expectations {
  readonly schedules: number;
  readonly cancels: number;
  readonly reschedules: number;
  readonly unknowns: number;
  readonly receipts: number;
  /** Messages that were attempted again after their node had died, or memberships that the store ended. */
  readonly takeovers: number;
}
