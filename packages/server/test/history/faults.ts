import type { Instant } from "../../src/domain/message.ts";

/** A fault in the run. A node has the same name as in the receipts. */
export type Fault = Crash | Pause | Stop | Takeover | StoreFault | StatementFault | Hang;

export interface Crash {
  readonly kind: "crash";
  readonly node: string;
  readonly at: Instant;
  /** When the node was ready again. Null if never. */
  readonly backAt: Instant | null;
  /** The node came back under another name. This name never comes back. */
  readonly renamed?: boolean;
}

/** The process stood still. */
export interface Pause {
  readonly kind: "pause";
  readonly node: string;
  readonly at: Instant;
  readonly until: Instant;
}

/** The node was asked to stop, and took up no message from then on. It had ended at `until`. */
export interface Stop {
  readonly kind: "stop";
  readonly node: string;
  readonly at: Instant;
  readonly until: Instant;
  /** When the node was started again, if it was. */
  readonly backAt?: Instant;
}

/**
 * The store ended a membership of the node, because its lease had run out or because the node joined again.
 * A run that can observe this logs each one. Without these entries, a membership may have ended at any
 * fault that was long enough.
 */
export interface Takeover {
  readonly kind: "takeover";
  readonly node: string;
  readonly at: Instant;
}

/** One call failed, or all calls failed for a while. */
export interface StoreFault {
  readonly kind: "store";
  /** Null means every node. */
  readonly node: string | null;
  readonly at: Instant;
  readonly until: Instant;
  /** Whether the store had committed the call when it failed. */
  readonly commit: "before" | "after" | "either";
}

/**
 * One statement of a node, or its answer, came late, came after its sender had given it up, or never came.
 * All other statements went through. So this fault explains lateness, but no lost membership unless
 * `keepsAlive`.
 */
export interface StatementFault {
  readonly kind: "statement";
  readonly node: string;
  readonly at: Instant;
  readonly until: Instant;
  readonly statement: string;
  /** The node's membership depends on the statement: it joins or renews the lease. */
  readonly keepsAlive: boolean;
}

/** A target accepts requests and does not answer. */
export interface Hang {
  readonly kind: "hang";
  readonly accountId: string;
  readonly targetId: string;
  readonly at: Instant;
  readonly until: Instant;
}

export function endOf(fault: Fault): Instant {
  if (fault.kind === "crash") return fault.backAt ?? fault.at;
  if (fault.kind === "stop") return fault.backAt ?? fault.until;
  return fault.kind === "takeover" ? fault.at : fault.until;
}
