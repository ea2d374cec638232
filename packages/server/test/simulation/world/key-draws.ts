import type { ConflictMode, WantedKey } from "../../../src/domain/message-key.ts";
import type { Installation } from "./installation.ts";
import type { Move } from "./moves.ts";
import { newBoundOf, optionsOf } from "./option-draws.ts";
import type { Plot } from "./plots.ts";
import type { SimulatedTarget } from "./scenario.ts";
import { seededRandom } from "./seeded-random.ts";
import type { SeededRandom } from "./seeded-random.ts";
import { sunny } from "./simulated-network.ts";
import type { Mood } from "./simulated-network.ts";

const second = 1_000;
const minute = 60 * second;

/**
 * Calls with keys, in every other world. They have a target and chances of their own: the rest of a world stays the
 * same. Callers share few keys and call at about the same time, so that they meet each other and the attempts.
 */
export function keysOf(seed: string, { endsAt }: Installation): Plot {
  const random = seededRandom(`${seed}/keys`);
  if (random.happens(0.5)) return { targets: [], moves: [] };
  const target: SimulatedTarget = {
    accountId: random.pick(["acc_a", "acc_b"]),
    targetId: "keyed",
    maxConcurrency: random.pick([1, 10, 50]),
    timeoutMs: random.pick([1, 5, 15]) * second,
    rateLimit: null,
    delaysMs: Array.from({ length: random.between(1, 3) }, () =>
      random.pick([5, 200, second, 5 * second]),
    ),
    maxAttempts: random.between(2, 6),
  };
  const moods = Array.from({ length: random.between(1, 4) }, (_, place): Move => ({
    at: place === 0 ? 0 : Math.floor(random.fraction() * endsAt),
    kind: "mood",
    targetId: target.targetId,
    mood: moodOf(random),
  }));
  const contests = Array.from({ length: random.between(1, 4) }, (_, place) =>
    contestOf(random.fork(`contest ${place}`), target, `k${place}`, endsAt),
  );
  return { targets: [target], moves: [...moods, ...contests.flat()] };
}

/** Attempts that take a while and often fail: callers then meet a message that is in flight or was attempted. */
function moodOf(random: SeededRandom): Mood {
  return {
    ...sunny,
    delivers: random.fraction(),
    fails: random.fraction(),
    hangs: random.happens(0.2) ? 0.3 : 0,
    resets: random.happens(0.2) ? 0.3 : 0,
    slowestMs: random.pick([5, 300, 3 * second, 8 * second]),
  };
}

/** Calls for one key within a short time. */
function contestOf(
  random: SeededRandom,
  { accountId, targetId }: SimulatedTarget,
  messageKey: string,
  endsAt: number,
): Move[] {
  const lengthMs = Math.min(endsAt, random.pick([2 * second, 20 * second, 2 * minute]));
  const begin = Math.floor(random.fraction() * (endsAt - lengthMs));
  const instants = Array.from({ length: random.between(4, 12) }, () =>
    Math.floor(begin + random.fraction() * lengthMs),
  ).toSorted((one, other) => one - other);
  const made: string[] = [];
  return instants.map((at, place): Move => {
    const name = `${messageKey}.${place}`;
    const ofKey = { name, accountId, targetId, messageKey, at };
    const dueInMs = random.between(0, random.pick([300, 3 * second, lengthMs]));
    const isDelay = random.happens(0.4);
    const known = random.happens(0.15) ? random.pick(["", ...made]) : "";
    if (known !== "") return callByName(random, { at, name: known, dueInMs, byDelay: isDelay });
    if (random.happens(0.25)) {
      const kind = random.pick(["get by key", "cancel by key", "reschedule by key"] as const);
      if (kind !== "reschedule by key") return { ...ofKey, kind };
      const bound = newBoundOf(random.fork(`bound of ${name}`), dueInMs, endsAt);
      return { ...ofKey, kind, dueInMs, byDelay: isDelay, ...bound };
    }
    made.push(name);
    if (random.happens(0.1)) return batchOf(random, ofKey, dueInMs, endsAt);
    return scheduleOf(random, ofKey, dueInMs, isDelay, endsAt);
  });
}

interface OfKey {
  readonly at: number;
  readonly name: string;
  readonly accountId: string;
  readonly targetId: string;
  readonly messageKey: string;
}

type ScheduleMove = Extract<Move, { kind: "schedule" }>;

function scheduleOf(
  random: SeededRandom,
  { messageKey, ...call }: OfKey,
  dueInMs: number,
  isDelay: boolean,
  endsAt: number,
): ScheduleMove {
  const key = wantedKeyOf(random, messageKey, dueInMs);
  const isDebounced = key.onConflict === "debounce";
  return {
    ...call,
    kind: "schedule",
    dueInMs: isDebounced ? Math.max(1, dueInMs) : dueInMs,
    byDelay: isDebounced || isDelay,
    payload: `${call.name} \u{1f4ee}\u0000`,
    key,
    ...optionsOf(random.fork(`options of ${call.name}`), dueInMs, endsAt),
  };
}

function wantedKeyOf(random: SeededRandom, key: string, quietMs: number): WantedKey {
  const onConflict = random.pick<ConflictMode>([
    "reject",
    "keep",
    "replace",
    "replace",
    "replaceKeepTime",
    "debounce",
  ]);
  const maxWaitMs =
    onConflict === "debounce" ? Math.max(1, quietMs) + random.between(0, 5 * second) : null;
  return { key, onConflict, maxWaitMs };
}

/** Several messages for the same key in one call. */
function batchOf(random: SeededRandom, call: OfKey, dueInMs: number, endsAt: number): Move {
  const items = Array.from({ length: random.between(2, 4) }, (_, place) =>
    scheduleOf(random, { ...call, name: `${call.name}.${place}` }, dueInMs, false, endsAt),
  );
  return { at: call.at, kind: "batch", items, ownKeys: random.happens(0.5) };
}

/** By its id: the message may have ended, and another one may have its key. */
function callByName(
  random: SeededRandom,
  change: Pick<ScheduleMove, "at" | "name" | "dueInMs" | "byDelay">,
): Move {
  const { at, name } = change;
  const kind = random.pick(["cancel", "reschedule", "reschedule", "get"] as const);
  return kind === "reschedule" ? { ...change, kind } : { at, kind, name };
}
