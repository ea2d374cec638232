import type { Clock } from "./clock.ts";
import { pause } from "./timers.ts";
import type { Timers } from "./timers.ts";

/** Something that is read from elsewhere now and then, and relied on in between. */
export interface RememberedRead<Value> {
  /** What was read a while ago, or is read now. */
  get(): Promise<Value>;
  /**
   * What is read from here on: for whoever missed something in what was read before. Where as many wait
   * for that as may, what is known already.
   */
  getNewer(): Promise<Value>;
  /** What was read before counts no more. */
  forget(): void;
}

export interface RememberedReadOptions<Value> {
  readonly read: () => Promise<Value>;
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
  /** For how long a reading counts, from when it began. */
  readonly freshMs: number;
  /** For how long it counts while no newer one can be had. */
  readonly usableMs: number;
  /** Two readings never begin closer to each other, however many ask. */
  readonly spacingMs: number;
  /** How many may wait for something newer at once; all, where it is not given. */
  readonly mostWaiting?: number;
}

interface Outcome<Value> {
  readonly beganAt: number;
  readonly value: Value;
}

export function createRememberedRead<Value>({
  read,
  clock,
  timers,
  freshMs,
  usableMs,
  spacingMs,
  mostWaiting = Infinity,
}: RememberedReadOptions<Value>): RememberedRead<Value> {
  let remembered: Outcome<Value> | undefined;
  let failure: Outcome<unknown> | undefined;
  let lastBeganAt = -Infinity;
  let underWay: Promise<Value> | undefined;
  /** Waits for its turn. Whoever joins it gets what is read after they asked. */
  let upcoming: Promise<Value> | undefined;
  let waiting = 0;

  const ageOf = ({ beganAt }: Outcome<unknown>): number => clock.monotonic() - beganAt;

  const begin = (): Promise<Value> => {
    const beganAt = clock.monotonic();
    lastBeganAt = beganAt;
    const reading: Promise<Value> = read()
      .then(
        (value) => {
          // Otherwise it began before what was known had to be forgotten.
          if (underWay === reading) remembered = { beganAt, value };
          failure = undefined;
          return value;
        },
        (error: unknown) => {
          failure = { beganAt, value: error };
          throw error;
        },
      )
      .finally(() => {
        if (underWay === reading) underWay = undefined;
      });
    underWay = reading;
    return reading;
  };

  const inTurn = async (): Promise<Value> => {
    await underWay?.catch(() => undefined);
    const waitMs = lastBeganAt + spacingMs - clock.monotonic();
    if (waitMs > 0) await pause(timers, waitMs);
    upcoming = undefined;
    return begin();
  };

  const readNewer = async (): Promise<Value> => {
    // A source that has just failed is left alone for a moment, and nobody waits for it.
    if (failure !== undefined && ageOf(failure) < spacingMs) throw failure.value;
    upcoming ??= inTurn();
    return upcoming;
  };

  const getNewer = async (): Promise<Value> => {
    if (waiting >= mostWaiting && remembered !== undefined) return remembered.value;
    waiting++;
    try {
      return await readNewer();
    } finally {
      waiting--;
    }
  };

  return {
    getNewer,
    async get() {
      if (remembered !== undefined && ageOf(remembered) <= freshMs) return remembered.value;
      try {
        return await (underWay ?? readNewer());
      } catch (error) {
        if (remembered !== undefined && ageOf(remembered) <= usableMs) return remembered.value;
        throw error;
      }
    },
    forget() {
      remembered = undefined;
      underWay = undefined;
      lastBeganAt = -Infinity;
    },
  };
}
