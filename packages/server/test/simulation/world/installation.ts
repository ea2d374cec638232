import type { SeededRandom } from "./seeded-random.ts";

/** What one world's service is made of: installations differ, and so do the worlds. */
export interface Installation {
  readonly nodes: number;
  /** How many of them only accept messages; they are the last ones. */
  readonly apiNodes: number;
  /** What the others do: `dispatch` where those alone accept messages. */
  readonly delivererRole: "all" | "dispatch";
  /** On a shared database; null: a single node with the embedded store. */
  readonly leaseMs: number | null;
  /** How well a node knows the store's clock. */
  readonly clockErrorMs: number;
  /** The share of calls that the store answers at once, where nothing ails it. */
  readonly prompt: number;
  readonly retentionMs: number;
  /** When the last move is made and faults end. */
  readonly endsAt: number;
}

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** From here on a world is long: busy at times, with hours or days between them. */
export const longMs = 6 * hour;

export function installationOf(random: SeededRandom): Installation {
  const retentionMs = random.pick([minute, hour, 30 * day]);
  return random.happens(0.4)
    ? { ...embedded(random), retentionMs }
    : { ...shared(random), retentionMs };
}

/** Nobody asks for signs of life, so that days pass quickly, and are long enough to turn months. */
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
  // They make the others look for messages ten times as often.
  const apiNodes = isShort && nodes > 1 && random.happens(0.2) ? 1 : 0;
  return {
    nodes,
    apiNodes,
    delivererRole: apiNodes > 0 && random.fork("roles").happens(0.6) ? "dispatch" : "all",
    leaseMs: random.pick([10, 10, 10, 3, 15]) * second,
    clockErrorMs: random.pick([0, 0, 20]),
    // What takes its time lets others come in between, and takes longer to simulate.
    prompt: isShort ? random.pick([0.8, 0.2]) : 0.9,
    endsAt,
  };
}
