import type { SeededRandom } from "./seeded-random.ts";

/** The parts of one world's service. They differ from world to world. */
export interface Installation {
  readonly nodes: number;
  /** How many nodes only accept messages. They are the last ones. */
  readonly apiNodes: number;
  /** The role of the other nodes: `dispatch` if only the API nodes accept messages. */
  readonly delivererRole: "all" | "dispatch";
  /** For a shared database. Null for a single node with the embedded store. */
  readonly leaseMs: number | null;
  /** How far a node's estimate of the store's clock may be off. */
  readonly clockErrorMs: number;
  /** The share of calls that the store answers at once when it is healthy. */
  readonly prompt: number;
  readonly retentionMs: number;
  /** When the last move is made and the faults end. */
  readonly endsAt: number;
}

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** A world of at least this length is long: it has busy periods with hours or days between them. */
export const longMs = 6 * hour;

export function installationOf(random: SeededRandom): Installation {
  const retentionMs = random.pick([minute, hour, 30 * day]);
  return random.happens(0.4)
    ? { ...embedded(random), retentionMs }
    : { ...shared(random), retentionMs };
}

/**
 * A node with an embedded store sends no heartbeats. So days are quick to simulate, and a world can reach the next
 * month.
 */
function embedded(random: SeededRandom): Omit<Installation, "retentionMs"> {
  const endsAt = random.pick([10 * minute, hour, 6 * hour, day, day, 3 * day, 7 * day]);
  const prompt = random.pick([0.9, 0.5]);
  return {
    nodes: 1,
    apiNodes: 0,
    delivererRole: "all",
    leaseMs: null,
    clockErrorMs: 0,
    prompt,
    endsAt,
  };
}

function shared(random: SeededRandom): Omit<Installation, "retentionMs"> {
  const endsAt = random.happens(0.02)
    ? day
    : random.pick([2 * minute, 2 * minute, 10 * minute, 10 * minute, hour, hour, 6 * hour]);
  const isShort = endsAt < hour;
  const nodes = random.pick(endsAt < longMs ? [1, 2, 2, 3, 3, 4, 5] : [1, 2, 3]);
  // API nodes make the others look for messages ten times as often.
  const apiNodes = isShort && nodes > 1 && random.happens(0.2) ? 1 : 0;
  return {
    nodes,
    apiNodes,
    delivererRole: apiNodes > 0 && random.fork("roles").happens(0.6) ? "dispatch" : "all",
    leaseMs: random.pick([10, 10, 10, 3, 15]) * second,
    clockErrorMs: random.pick([0, 0, 20]),
    // Slow answers let other events come in between, but take longer to simulate.
    prompt: isShort ? random.pick([0.8, 0.2]) : 0.9,
    endsAt,
  };
}
