import type { Attempt } from "../../src/domain/attempt.ts";
import type { Instant, Message } from "../../src/domain/message.ts";
import type { RetryPolicy } from "../../src/domain/retry-policy.ts";
import type { Fault } from "./faults.ts";

/**
 * Everything that was seen of one run, real or simulated, by those who asked and by the targets. All
 * instants are the observers' own, in milliseconds, except those inside a `Message` or an `Attempt`,
 * which are the store's; `Bounds.clockUncertaintyMs` says how far the two may be apart.
 *
 * The log must be whole: whatever was asked, sent or broken is in it. What is in the store and was not
 * asked for is a violation.
 */
export interface History {
  readonly asked: readonly Asked[];
  readonly receipts: readonly Receipt[];
  readonly faults: readonly Fault[];
  readonly targets: readonly TargetTerms[];
  readonly final: Final;
  readonly bounds: Bounds;
  readonly expects: Expectations;
  /** How the store's clock was set while the run went on, in order; none where it was left alone. */
  readonly clockSteps?: readonly ClockStep[];
}

/** Before the first step the store's clock and the observers' agree. */
export interface ClockStep {
  readonly at: Instant;
  /** Negative: back. */
  readonly byMs: number;
}

export type Asked = ScheduleAsked | ChangeAsked | GetAsked | PageAsked;

interface Call {
  readonly accountId: string;
  readonly writer: string;
  readonly askedAt: Instant;
  /** When the answer came, or when it was given up. */
  readonly answeredAt: Instant;
}

export interface Refused {
  readonly kind: "refused";
  /** The first code of the answer; `404` for one without a body. */
  readonly code: string;
}

/** A 5xx, or no answer at all: it happened once, may still happen, or never will. */
export interface Unknown {
  readonly kind: "unknown";
  /** The service itself said 5xx. It may still happen, but not after what was asked since and decided. */
  readonly isGivenUp?: boolean;
}

export interface Told {
  readonly kind: "ok";
  readonly message: Message;
}

export interface ScheduleAsked extends Call {
  /** An item of a batch is a call of its own, with a key of its own. */
  readonly verb: "schedule" | "batch item";
  readonly key: string | null;
  readonly targetId: string;
  readonly dueAt: Instant;
  readonly payload: string;
  readonly answer: Told | Refused | Unknown;
}

export interface ChangeAsked extends Call {
  readonly verb: "cancel" | "reschedule";
  readonly messageId: string;
  /** Null for a cancel. */
  readonly dueAt: Instant | null;
  readonly answer: Told | Refused | Unknown;
}

export interface GetAsked extends Call {
  readonly verb: "get";
  readonly messageId: string;
  readonly answer: Told | Refused | Unknown;
}

/** One page of a walk. A page that was asked for again is in the log with the answer that counted. */
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

/** One request that reached a target, or was on its way there when it broke off. */
export interface Receipt {
  /** The message it was about, by whatever the observer knows; its `webhook-id` where nothing else. */
  readonly messageId: string;
  readonly webhookId: string;
  readonly attemptNumber: number;
  readonly targetId: string;
  readonly body: Uint8Array;
  readonly startedAt: Instant;
  /** Null: it was still running when the log ended. */
  readonly endedAt: Instant | null;
  /** The status the target answered with in full; null: it hung, was reset, or broke off. */
  readonly status: number | null;
  /** Who sent it; null where that is not known. */
  readonly node: string | null;
}

export interface TargetTerms {
  readonly accountId: string;
  readonly targetId: string;
  /** Null: it changed during the run. */
  readonly retryPolicy: RetryPolicy | null;
  readonly timeoutMs: number | null;
  /** Its messages need not be attempted in time: it is paused, limited, or nobody's any more. */
  readonly mayWait?: boolean;
  /** How quickly it is served while something of it is due, in order; not given: that is not known. */
  readonly pace?: readonly Pace[];
}

/** From an instant on. */
export interface Pace {
  readonly from: Instant;
  /** The longest that its limits keep it waiting between two attempts; Infinity: it is closed. */
  readonly gapMs: number;
}

export interface FinalMessage {
  readonly message: Message;
  readonly attempts: readonly Attempt[];
  readonly payload: string | null;
}

export interface Final {
  readonly takenAt: Instant;
  /** Null: the service no longer knows it. */
  readonly messages: ReadonlyMap<string, FinalMessage | null>;
  /** `messages` holds all that the store holds. */
  readonly isComplete: boolean;
  readonly usage: readonly AccountUsage[];
}

export interface AccountUsage {
  readonly accountId: string;
  readonly month: string;
  readonly used: number;
  /** Null: without limit, or it changed during the run. */
  readonly limit: number | null;
}

export interface Bounds {
  /** Between the store's clock and the observers', steps included: 0 where they share one. */
  readonly clockUncertaintyMs: number;
  /** `safety`: faults to the very end, so that what has not settled yet breaks nothing. */
  readonly mode: "safety" | "liveness";
  /** How long after it was due, and after the last fault, a message may still be SCHEDULED. */
  readonly settleMs: number;
  /** How long after a node's death its messages are attempted again by others; null: by nobody. */
  readonly takeoverMs: number | null;
  /** How long after its restart a node attempts its own again, where there are no others. */
  readonly restartMs: number;
  /** A node's lease; null: the store is its own. */
  readonly leaseMs: number | null;
  /** How long a request may be on its way from the last check of the lease to the target. */
  readonly sendMs: number;
  /** How long after an attempt its outcome is on record, where the store can be reached. */
  readonly recordMs: number;
  /** How long a cancel or reschedule waits for an attempt in flight. */
  readonly changeWaitMs: number;
  /** Null: it is not known, or was changed. */
  readonly retentionMs: number | null;
  /** How late others may be at the 99th percentile while a target hangs. */
  readonly isolationMs: number;
  /** How long a target with something due may be left alone beyond what its own limits ask for. */
  readonly stallMs: number;
}

/** What the promises and the defaults of the settings say. */
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
};

/** What must at least have happened for the run to prove something. */
export interface Expectations {
  readonly schedules: number;
  readonly cancels: number;
  readonly reschedules: number;
  readonly unknowns: number;
  readonly receipts: number;
  /** Messages that were attempted again after their node had died, or lives that the store ended. */
  readonly takeovers: number;
}
