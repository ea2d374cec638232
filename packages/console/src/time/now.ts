import { useSyncExternalStore } from "react";

const everyMs = 1_000;
let now = Date.now();

function subscribe(listener: () => void): () => void {
  const timer = setInterval(() => {
    now = Date.now();
    listener();
  }, everyMs);
  return () => clearInterval(timer);
}

/** The time of this browser, anew each second. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}
