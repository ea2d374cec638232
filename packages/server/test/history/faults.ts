import type { Instant } from "../../src/domain/message.ts";

/** What was done to the run. A node is named as in the receipts. */
export type Fault = Crash | Pause | Stop | Takeover | StoreFault | StatementFault | Hang;

export interface Crash {
  readonly kind: "crash";
  readonly node: string;
  readonly at: Instant;
  /** When it was ready again; null: never. */
  readonly backAt: Instant | null;
  /** What was ready again has another name: this one never comes back. */
  readonly renamed?: boolean;
}

/** The process stood still. */
export interface Pause {
  readonly kind: "pause";
  readonly node: string;
  readonly at: Instant;
  readonly until: Instant;
}

/** It was asked to stop, and had. */
export interface Stop {
  readonly kind: "stop";
  readonly node: string;
  readonly at: Instant;
  readonly until: Instant;
  /** When it was started again, where it was. */
  readonly backAt?: Instant;
}

/**
 * The store ended a life of the node: its lease had run out, or the node began another. A run that can
 * tell logs each; without them a life may have ended wherever a fault was long enough.
 */
export interface Takeover {
  readonly kind: "takeover";
  readonly node: string;
  readonly at: Instant;
}

/** A call failed, or all did for a while. */
export interface StoreFault {
  readonly kind: "store";
  /** Null: for every node. */
  readonly node: string | null;
  readonly at: Instant;
  readonly until: Instant;
  /** Whether what was asked had been committed when it failed. */
  readonly commit: "before" | "after" | "either";
}

/**
 * One statement of a node, or its answer, came late, came when its sender had given it up, or never did;
 * all the others went through. So it explains what came late, and no lost life, unless `keepsAlive`.
 */
export interface StatementFault {
  readonly kind: "statement";
  readonly node: string;
  readonly at: Instant;
  readonly until: Instant;
  readonly statement: string;
  /** The node's life hangs on it: it joins, or prolongs its lease. */
  readonly keepsAlive: boolean;
}

/** A target that takes requests and does not answer. */
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
