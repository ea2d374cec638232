import type { Instant } from "../../src/domain/message.ts";
import type { Fault, Pause, StatementFault, StoreFault } from "./faults.ts";
import type { Bounds, Receipt } from "./history.ts";

/** A period in which a node lost its claims because of a fault from outside. */
export interface Death {
  readonly node: string | null;
  /** When the fault that ended it began. */
  readonly began: Instant;
  /** From this instant on, others may hold its claims. */
  readonly from: Instant;
  /** The last instant at which it may have sent something that it no longer held. */
  readonly lastSent: Instant;
  /** When the node ran again. Infinity if never. */
  readonly backAt: Instant;
}

/**
 * A node renews its membership at every quarter of its lease, so it loses the membership after three
 * quarters without the store. A node that cannot reach the store gives up before that. Attempts that it had
 * begun may then continue unrecorded.
 */
const losingShare = 0.75;
const cutOffShare = 0.5;

export class Deaths {
  readonly all: readonly Death[];
  /** Memberships that the store ended although nothing had happened to their nodes. */
  readonly unprovoked: readonly { readonly node: string; readonly at: Instant }[];
  readonly #storeFaults: readonly (StoreFault | StatementFault)[];
  /** Faults that keep a node from writing for a while. */
  readonly #delays: readonly (StoreFault | StatementFault | Pause)[];
  readonly #bounds: Bounds;

  constructor(faults: readonly Fault[], bounds: Bounds) {
    this.#bounds = bounds;
    this.#delays = faults
      .filter((fault) => ["store", "statement", "pause"].includes(fault.kind))
      .map((fault) => fault as StoreFault | StatementFault | Pause)
      .toSorted((one, other) => one.at - other.at);
    this.#storeFaults = this.#delays.filter((fault) => fault.kind !== "pause");
    const unprovoked: { node: string; at: Instant }[] = [];
    this.all = faults.flatMap((fault): Death[] => {
      if (fault.kind !== "takeover") return this.#deathBy(fault);
      const cause = causeOf(fault, faults, bounds);
      if (cause === undefined) unprovoked.push(fault);
      return cause === undefined ? [] : [cause];
    });
    this.unprovoked = unprovoked;
  }

  #deathBy(fault: Fault): Death[] {
    const { leaseMs, clockUncertaintyMs } = this.#bounds;
    if (fault.kind === "crash") {
      const { node, at, backAt } = fault;
      return [{ node, began: at, from: at, lastSent: at, backAt: backAt ?? Infinity }];
    }
    if (fault.kind === "stop") {
      // The node gives up outcomes that it cannot write by then.
      const { node, at, until } = fault;
      const cutOff = this.#storeFaults.some((each) => concerns(each, node) && overlap(each, fault));
      return cutOff ? [{ node, began: at, from: at, lastSent: until, backAt: until }] : [];
    }
    if (leaseMs === null || fault.kind === "takeover" || fault.kind === "hang") return [];
    if (fault.kind === "statement" && !fault.keepsAlive) return [];
    const { node, at, until } = fault;
    const share = fault.kind === "pause" ? losingShare : cutOffShare;
    const from = at + leaseMs * share - clockUncertaintyMs;
    return until < from ? [] : [{ node, began: at, from, lastSent: until, backAt: until }];
  }

  /**
   * The deaths that may have lost the outcome of this attempt. `nextAt` is when the message was attempted
   * again.
   */
  explainMissing(receipt: Receipt, nextAt: Instant): Death[] {
    const { sendMs, clockUncertaintyMs } = this.#bounds;
    const recordedBy = this.recordedBy(receipt);
    return this.all.filter(
      (death) =>
        concerns(death, receipt.node) &&
        death.began <= recordedBy &&
        death.lastSent + sendMs >= receipt.startedAt &&
        death.from <= nextAt + clockUncertaintyMs,
    );
  }

  /** Whether the sender had lost the message by then, so that others could hold it. */
  explainOverlap(receipt: Receipt, at: Instant): boolean {
    const { sendMs, clockUncertaintyMs } = this.#bounds;
    return this.all.some(
      (death) =>
        concerns(death, receipt.node) &&
        death.lastSent + sendMs >= receipt.startedAt &&
        death.from <= at + clockUncertaintyMs &&
        death.began <= (receipt.endedAt ?? Infinity),
    );
  }

  /** Whether this arrived after its node had lost the message, but was sent before. */
  explainLate({ node, startedAt }: Receipt): boolean {
    const { sendMs, clockUncertaintyMs } = this.#bounds;
    return this.all.some(
      (death) =>
        concerns(death, node) &&
        death.from <= startedAt + clockUncertaintyMs &&
        startedAt <= death.lastSent + sendMs,
    );
  }

  /**
   * The instant by which an outcome is on record. Its node writes it as soon as the node is awake and the
   * store accepts it.
   */
  recordedBy({ node, endedAt }: Receipt): Instant {
    const { recordMs } = this.#bounds;
    let limit = (endedAt ?? Infinity) + recordMs;
    for (const fault of this.#delays) {
      if (fault.at > limit) break;
      if (concerns(fault, node)) limit = Math.max(limit, fault.until + recordMs);
    }
    return limit;
  }
}

function concerns(each: { readonly node: string | null }, node: string | null): boolean {
  return each.node === null || node === null || each.node === node;
}

function overlap(
  one: { readonly at: Instant; readonly until: Instant },
  other: { readonly at: Instant; readonly until: Instant },
): boolean {
  return one.at <= other.until && other.at <= one.until;
}

/** The faults that can let a lease run out: a crash, a pause, a stop, or failed calls to the store. */
type Cause = Exclude<Fault, { kind: "takeover" | "hang" }>;

function backAfter(cause: Cause): Instant {
  return cause.kind === "crash" ? (cause.backAt ?? Infinity) : cause.until;
}

/** A node that never comes back under its name may lose its membership at any later time. */
function lastsUntil(cause: Cause): Instant {
  return cause.kind === "crash" && cause.renamed === true ? Infinity : backAfter(cause);
}

function causeOf(
  { node, at }: { readonly node: string; readonly at: Instant },
  faults: readonly Fault[],
  { leaseMs, clockUncertaintyMs }: Bounds,
): Death | undefined {
  // The node that should have noticed at once may itself have had a fault.
  const since = at - 4 * (leaseMs ?? 0) - clockUncertaintyMs;
  const causes = faults.filter(
    (fault): fault is Cause =>
      fault.kind !== "takeover" &&
      fault.kind !== "hang" &&
      (fault.kind !== "statement" || fault.keepsAlive) &&
      concerns(fault, node) &&
      fault.at <= at + clockUncertaintyMs &&
      lastsUntil(fault) >= since,
  );
  if (causes.length === 0) return undefined;
  const lastSent = causes.map((cause) => (cause.kind === "crash" ? cause.at : cause.until));
  return {
    node,
    began: Math.min(...causes.map((cause) => cause.at)),
    from: at,
    lastSent: Math.max(at, ...lastSent),
    backAt: Math.max(...causes.map(backAfter)),
  };
}
