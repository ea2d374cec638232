import type { StoreFault } from "../history/faults.ts";

const lookEveryMs = 50;
/** A pause of this process that says that the whole machine had no time. */
const worthNotingMs = 500;

/**
 * Notes when the machine itself stood still or was too busy, so that what nobody could have done in time
 * is not taken for a broken promise.
 */
export function watchMachine(faults: { push(fault: StoreFault): void }): Disposable {
  let last = Date.now();
  const timer = setInterval(() => {
    const now = Date.now();
    if (now - last > lookEveryMs + worthNotingMs) {
      faults.push({ kind: "store", node: null, at: last, until: now, commit: "either" });
    }
    last = now;
  }, lookEveryMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
