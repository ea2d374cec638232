import type { Instant } from "../../src/domain/message.ts";
import type { Fault, Pause, StatementFault, StoreFault } from "./faults.ts";
import type { Bounds, Receipt } from "./history.ts";

/** A time in which a node lost what it held, by no fault of the service. */
export interface Death {
  readonly node: string | null;
  /** When what ended it began. */
  readonly began: Instant;
  /** From here on others may hold what it held. */
  readonly from: Instant;
  /** The last instant at which it may have sent something that it no longer held. */
  readonly lastSent: Instant;
  /** When the node was there again; Infinity: never. */
  readonly backAt: Instant;
}

/**
 * A life is prolonged at every quarter of its lease, so it takes three quarters without the store to
 * lose it; a node that cannot reach the store gives up before that, and what it had begun may then go on
 * unrecorded.
 */
const losingShare = 0.75;
const cutOffShare = 0.5;

export class Deaths {
  readonly all: readonly Death[];
  /** Lives that the store ended though nothing had happened to their nodes. */
  readonly unprovoked: readonly { readonly node: string; readonly at: Instant }[];
  readonly #storeFaults: readonly (StoreFault | StatementFault)[];
  /** What keeps a node from writing for a while. */
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
      // Outcomes that cannot be written by then are given up.
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

  /** What may have cost the outcome of this attempt; `nextAt` is when the message was attempted again. */
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

  /** Whether whoever sent this had lost the message by then, so that others could hold it. */
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

  /** Whether this came when its node had lost it, and was on its way before. */
  explainLate({ node, startedAt }: Receipt): boolean {
    const { sendMs, clockUncertaintyMs } = this.#bounds;
    return this.all.some(
      (death) =>
        concerns(death, node) &&
        death.from <= startedAt + clockUncertaintyMs &&
        startedAt <= death.lastSent + sendMs,
    );
  }

  /** The instant by which an outcome is on record: it is written as soon as its node is awake and the store takes it. */
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

/** What a lease can run out over: a crash, a pause, a stop, or calls to the store that failed. */
type Cause = Exclude<Fault, { kind: "takeover" | "hang" }>;

function backAfter(cause: Cause): Instant {
  return cause.kind === "crash" ? (cause.backAt ?? Infinity) : cause.until;
}

/** A name that does not come back may lose its life at any time after. */
function lastsUntil(cause: Cause): Instant {
  return cause.kind === "crash" && cause.renamed === true ? Infinity : backAfter(cause);
}

function causeOf(
  { node, at }: { readonly node: string; readonly at: Instant },
  faults: readonly Fault[],
  { leaseMs, clockUncertaintyMs }: Bounds,
): Death | undefined {
  // Whoever should have noticed at once may have had its own troubles.
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
