import type { Chance } from "../history/support/chance.ts";
import type { Intervention } from "./interventions.ts";
import { chanceOf, pickWeighted } from "./seeded-chance.ts";

/** What is made likely; each is left to chance within itself, and they can be had together. */
export const flavours = ["answers-at-the-bound", "late-statements", "vanishing-hosts"] as const;
export type Flavour = (typeof flavours)[number];

/** What becomes of the next statement of that name which this node sends after that time. */
export interface PlannedIntervention {
  readonly afterMs: number;
  readonly node: number;
  readonly statement: string;
  /** Only where it stands in a transaction that has begun. */
  readonly inTransaction: boolean;
  readonly intervention: Intervention;
}

export interface PlanOptions {
  readonly seed: string;
  readonly flavours: readonly Flavour[];
  readonly nodes: number;
  readonly forMs: number;
}

/** A seed gives the same plan every time, to the millisecond. What the nodes send by then differs. */
export function makePlan(options: PlanOptions): PlannedIntervention[] {
  const { seed } = options;
  const make: Record<Flavour, (chance: Chance, options: PlanOptions) => PlannedIntervention[]> = {
    "answers-at-the-bound": nudges,
    "late-statements": lateStatements,
    "vanishing-hosts": vanishings,
  };
  return options.flavours
    .flatMap((flavour) => make[flavour](chanceOf(seed, flavour), options))
    .toSorted((one, other) => one.afterMs - other.afterMs);
}

/** What passes between a call that waits, its bound and the outcome it waits for. */
const aroundTheBound = {
  COMMIT: 3,
  "wait-for-outcome": 2,
  "look-for-answers": 3,
  "take-change-back": 4,
  "lock-claims": 3,
  "find-waiting-changes": 3,
  "update-messages": 2,
  "answer-waiting-changes": 3,
  "record-attempts": 2,
};

/** Small delays that make room for others in between, and connections that break. */
function nudges(chance: Chance, { nodes, forMs }: PlanOptions): PlannedIntervention[] {
  const planned: PlannedIntervention[] = [];
  for (let at = 200; at < forMs; at += chance.between(50, 300)) {
    const forABit = chance.between(1, 60);
    const kind = pickWeighted(chance, { hold: 6, "hold answer": 3, cut: 1, "cut answer": 1 });
    planned.push({
      afterMs: at,
      node: chance.between(0, nodes - 1),
      statement: pickWeighted(chance, aroundTheBound),
      inTransaction: false,
      intervention: kind === "hold" || kind === "hold answer" ? { kind, forMs: forABit } : { kind },
    });
  }
  return planned;
}

/** Whatever writes, by itself or as the end of a transaction; now and then what a life hangs on. */
const worthwhile = {
  "record-attempts": 16,
  COMMIT: 4,
  "wait-for-outcome": 3,
  "take-change-back": 2,
  "claim-due": 2,
  "schedule-messages": 2,
  "update-messages": 2,
  "end-claims": 1,
  "move-claim-fences": 1,
  "void-lost-claims": 1,
  "end-lapsed-memberships": 1,
  "void-dead-claims": 1,
  "renew-node": 1,
};
const roundMs = 12_000;
/** The node's own patience is 8 s: these are longer than it, or well within. */
const lateFrom = { leastMs: 8_500, mostMs: 11_000 };

/** In each round a few statements come long after they were sent, most of them after the close. */
function lateStatements(chance: Chance, { nodes, forMs }: PlanOptions): PlannedIntervention[] {
  const planned: PlannedIntervention[] = [];
  for (let round = 0; round === 0 || (round + 1) * roundMs <= forMs; round++) {
    for (let node = 0; node < nodes; node++) {
      for (let left = chance.between(3, 6); left > 0; left--) {
        planned.push({
          afterMs: round * roundMs + chance.between(300, 3_000),
          node,
          statement: pickWeighted(chance, worthwhile),
          inTransaction: false,
          intervention: lateness(chance),
        });
      }
    }
  }
  return planned;
}

function lateness(chance: Chance): Intervention {
  const kind = pickWeighted(chance, { "deliver after close": 6, "hold answer": 2, hold: 2 });
  if (kind === "deliver after close") return { kind, afterMs: chance.between(0, 1_800) };
  if (kind === "hold") return { kind, forMs: chance.between(500, 7_000) };
  return { kind, forMs: chance.between(lateFrom.leastMs, lateFrom.mostMs) };
}

/** Statements of transactions that have locked something, a message, a claim or a target. */
const withLocks = {
  COMMIT: 3,
  "write-audit-notes": 3,
  "update-messages": 2,
  "find-claim": 2,
  "update-target": 1,
  "end-claims": 1,
};

/** The last node's host is gone, in the middle of a transaction; early, so that all the time is left. */
function vanishings(chance: Chance, { nodes }: PlanOptions): PlannedIntervention[] {
  const statement = pickWeighted(chance, withLocks);
  const isDelivered = statement !== "COMMIT" && chance.happens(0.5);
  return [
    {
      afterMs: chance.between(1_000, 2_500),
      node: nodes - 1,
      statement,
      inTransaction: true,
      intervention: { kind: "vanish", isDelivered },
    },
  ];
}

export function describePlan(planned: readonly PlannedIntervention[]): string {
  return planned
    .map(({ afterMs, node, statement, intervention: { kind, ...how } }) => {
      const details = Object.entries(how).map(([what, value]) => `${what} ${value}`);
      return `${String(afterMs).padStart(7)} ms  node ${node}, ${statement}: ${[kind, ...details].join(", ")}`;
    })
    .join("\n");
}
