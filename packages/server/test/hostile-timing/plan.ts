import type { Chance } from "../history/support/chance.ts";
import type { Intervention } from "./interventions.ts";
import { chanceOf, pickWeighted } from "./seeded-chance.ts";

/** What a plan makes likely. Each flavour draws its own details, and flavours can be combined. */
export const flavours = ["answers-at-the-bound", "late-statements", "vanishing-hosts"] as const;
export type Flavour = (typeof flavours)[number];

/** Disturbs the next statement of that name that this node sends after that time. */
export interface PlannedIntervention {
  readonly afterMs: number;
  readonly node: number;
  readonly statement: string;
  /** Applies only to a statement in a transaction that has begun. */
  readonly inTransaction: boolean;
  readonly intervention: Intervention;
}

export interface PlanOptions {
  readonly seed: string;
  readonly flavours: readonly Flavour[];
  readonly nodes: number;
  readonly forMs: number;
}

/** A seed always gives the same plan, to the millisecond. What the nodes send at those times differs. */
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

/** The statements between calls for the same key, and between them and the end of its message. */
const ofKeys = {
  "take-message-keys": 2,
  "wait-for-key-holder": 2,
  "find-claims": 1,
  "update-payloads": 1,
  "delete-message-keys": 1,
  "keep-first-answers": 1,
};

/** The statements between a commit and those who are told of it. */
const ofEvents = {
  "read-outbox": 1,
  "lock-event-logs": 1,
  "move-events": 2,
  "see-log-spans": 1,
  "read-events": 1,
  "list-endpoints": 1,
};

/** The statements between a waiting call, its bound and the outcome that it waits for. */
const aroundTheBound = {
  COMMIT: 3,
  "wait-for-outcome": 2,
  "look-for-answers": 3,
  "take-change-back": 4,
  "lock-claims": 3,
  "lock-waiting-changes": 3,
  "update-messages": 2,
  "answer-waiting-changes": 3,
  "record-attempts": 2,
  "lock-outrun-messages": 2,
  ...ofKeys,
  ...ofEvents,
};

/** Small delays that let other statements in between, and connections that break. */
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

/**
 * Statements that write, alone or at the end of a transaction, and now and then those that keep a
 * membership alive.
 */
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
  "lock-outrun-messages": 1,
  ...ofKeys,
  ...ofEvents,
};
const roundMs = 12_000;
/** A node waits 8 s for a statement. These delays are longer than that, or well below it. */
const lateFrom = { leastMs: 8_500, mostMs: 11_000 };

/**
 * At regular intervals, a few statements arrive long after they were sent, most of them after the close.
 */
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

/** Statements of transactions that hold a lock on a message, a claim, a target or a log of events. */
const withLocks = {
  COMMIT: 3,
  "write-audit-notes": 3,
  "update-messages": 2,
  "find-claim": 2,
  "update-target": 1,
  "end-claims": 1,
  "lock-outrun-messages": 1,
  "take-message-keys": 2,
  "wait-for-key-holder": 1,
  "lock-event-logs": 1,
  "move-events": 1,
};

/**
 * The last node's host vanishes in the middle of a transaction. It does so early, to leave time for what
 * follows.
 */
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
