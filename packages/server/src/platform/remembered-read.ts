import type { Clock } from "./clock.ts";
import { pause } from "./timers.ts";
import type { Timers } from "./timers.ts";

/** A value that is read from elsewhere now and then, and remembered in between. */
export interface RememberedRead<Value> {
  /** Returns the remembered value if it is fresh; otherwise reads it. */
  get(): Promise<Value>;
  /**
   * Returns a value whose read begins after this call, for a caller that misses something in the
   * remembered one. When too many callers wait already, returns the remembered value.
   */
  getNewer(): Promise<Value>;
  /** Drops the remembered value. */
  forget(): void;
}

export interface RememberedReadOptions<Value> {
  readonly read: () => Promise<Value>;
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
  /** How long a value is fresh, from the beginning of its read. */
  readonly freshMs: number;
  /** How long a value is used while newer reads fail. */
  readonly usableMs: number;
  /** The shortest time between the beginnings of two reads, for any number of callers. */
  readonly spacingMs: number;
  /** How many callers may wait for a newer value at once; no limit by default. */
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
  /** A read that has not begun yet. A caller that joins it gets a value that is read after the call. */
  let upcoming: Promise<Value> | undefined;
  let waiting = 0;

  const ageOf = ({ beganAt }: Outcome<unknown>): number => clock.monotonic() - beganAt;

  const begin = (): Promise<Value> => {
    const beganAt = clock.monotonic();
    lastBeganAt = beganAt;
    const reading: Promise<Value> = read()
      .then(
        (value) => {
          // If this is false, the read began before `forget` was called.
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

  const beginLater = async (): Promise<Value> => {
    await underWay?.catch(() => undefined);
    const waitMs = lastBeganAt + spacingMs - clock.monotonic();
    if (waitMs > 0) await pause(timers, waitMs);
    upcoming = undefined;
    return begin();
  };

  const readNewer = async (): Promise<Value> => {
    // A source that has just failed is not asked for a moment. Callers get the failure at once.
    if (failure !== undefined && ageOf(failure) < spacingMs) throw failure.value;
    upcoming ??= beginLater();
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
