import type { StoreFault } from "../history/faults.ts";

const lookEveryMs = 50;
/** A pause of this process that is long enough to show that the whole machine was too busy. */
const worthNotingMs = 500;

/**
 * Records when the machine itself stood still or was too busy. The judge then does not blame the service
 * for what no process could do in time.
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
