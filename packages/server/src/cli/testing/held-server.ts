import type { RunningServer } from "../surroundings/running-server.ts";

export interface HeldServer extends RunningServer {
  readonly stops: number;
  fail(error: Error): void;
  /** Lets `stop` finish. */
  finishStop(): void;
}

/** A running server whose stop the test controls. */
export function heldServer(changes: Partial<RunningServer> = {}): HeldServer {
  const { promise: stopped, resolve, reject } = Promise.withResolvers<void>();
  let stops = 0;
  return {
    url: "http://127.0.0.1:7070",
    generatedRootKey: null,
    stopped,
    stop() {
      stops++;
      return stopped;
    },
    get stops() {
      return stops;
    },
    fail: reject,
    finishStop: resolve,
    ...changes,
  };
}
