import type { LookupAddress } from "node:dns";
import type { Clock } from "../../platform/clock.ts";
import type { Timer, Timers } from "../../platform/timers.ts";
import type { HostLookup, NameLookup } from "./host-lookup.ts";
import { LookupPlaces, type LookupJob } from "./lookup-places.ts";

export interface SharedLookupOptions {
  /** The system's look-up, which all callers share. */
  readonly lookup: HostLookup;
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
  /** How many look-ups may run at once. */
  readonly places: number;
}

export interface SharedLookup {
  readonly lookup: NameLookup;
  /** Forgets the look-ups that have not begun. */
  close(): void;
}

interface Answer {
  readonly error: NodeJS.ErrnoException | null;
  readonly addresses: readonly LookupAddress[];
}

interface KeptAnswer extends Answer {
  readonly until: number;
}

type Callback = Parameters<HostLookup>[2];

/** One question, and the callers that wait for its answer. */
interface Asked {
  readonly job: LookupJob;
  readonly callbacks: Callback[];
  timer: Timer | null;
}

const keepAddressesMs = 5_000;
const keepFailureMs = 1_000;
const mostKept = 10_000;
/** Callers cannot withdraw. Without this limit, ended attempts would pile up here. */
const longestWaitMs = 30_000;

/**
 * Makes one look-up for all callers that ask for the same name at the same time, and for a short while
 * afterwards. It does not know the address rules: each caller filters the answer, whether kept or fresh.
 */
export function createSharedLookup(options: SharedLookupOptions): SharedLookup {
  const { lookup, clock, timers } = options;
  const places = new LookupPlaces({ clock, timers, count: options.places });
  const answers = new Map<string, KeptAnswer>();
  const underWay = new Map<string, Asked>();

  const ask: NameLookup = ({ accountId, hostname, hints = 0 }, callback) => {
    const key = `${hostname} ${hints}`;
    const kept = answers.get(key);
    if (kept !== undefined && clock.monotonic() < kept.until) return tell([callback], kept);
    const known = underWay.get(key);
    if (known !== undefined) {
      wait(key, known, callback);
      // The job may wait in the line of an account that has many. This account's turn may come sooner.
      places.enter(accountId, known.job);
      return;
    }

    const asked: Asked = { job: { hostname, run }, callbacks: [], timer: null };
    underWay.set(key, asked);
    wait(key, asked, callback);
    if (!places.enter(accountId, asked.job)) settle(key, asked, tooManyWaiting);

    function run(leave: () => void): void {
      lookup(hostname, { all: true, hints }, (error, addresses) => {
        leave();
        // `dns.lookup` passes no list with an error, although its type says that it does.
        const answer: Answer = { error, addresses: error === null ? addresses : [] };
        keep(key, answer);
        settle(key, asked, answer);
      });
    }
  };

  function settle(key: string, asked: Asked, answer: Answer): void {
    underWay.delete(key);
    asked.timer?.cancel();
    tell(asked.callbacks, answer);
  }

  function wait(key: string, asked: Asked, callback: Callback): void {
    asked.callbacks.push(callback);
    if (asked.callbacks.length > 1) return;
    asked.timer = timers.after(longestWaitMs, () => {
      tell(asked.callbacks.splice(0), failure("ETIMEOUT", "the look-up takes too long"));
      // A look-up that has begun cannot be stopped, so it keeps its place.
      if (places.withdraw(asked.job)) underWay.delete(key);
    });
  }

  function keep(key: string, answer: Answer): void {
    const forMs = answer.error === null ? keepAddressesMs : keepFailureMs;
    answers.delete(key);
    answers.set(key, { ...answer, until: clock.monotonic() + forMs });
    if (answers.size <= mostKept) return;
    const [oldest] = answers.keys();
    if (oldest !== undefined) answers.delete(oldest);
  }

  return { lookup: ask, close: () => places.close() };
}

/**
 * Calls each callback separately, and never before `lookup` has returned. The system's look-up does the
 * same.
 */
function tell(callbacks: readonly Callback[], { error, addresses }: Answer): void {
  for (const callback of callbacks) queueMicrotask(() => callback(error, [...addresses]));
}

const tooManyWaiting = failure("EAI_AGAIN", "too many host names are waiting to be looked up");

function failure(code: string, message: string): Answer {
  return { error: Object.assign(new Error(message), { code }), addresses: [] };
}
