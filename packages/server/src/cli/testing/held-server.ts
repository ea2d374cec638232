import type { RunningServer } from "../surroundings/running-server.ts";

export interface HeldServer extends RunningServer {
  readonly stops: number;
  fail(error: Error): void;
  /** Lets `stop` come to its end. */
  finishStop(): void;
}

/** A running server whose stop a test holds in its hand. */
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
