import { expect, test } from "vitest";
import type { Timers } from "../../platform/timers.ts";
import { awaitStopSignal } from "./stop-signals.ts";
import type { StopSignal } from "../surroundings/surroundings.ts";

/** Time that the test moves. */
function atRest({ byNpm }: { readonly byNpm: boolean }) {
  const said: string[] = [];
  const exits: number[] = [];
  const waiting = new Map<object, { at: number; callback: () => void }>();
  let now = 0;
  let npmHasEnded = false;
  let listener: ((signal: StopSignal) => void) | undefined;
  const timers: Timers = {
    after(delayMs, callback) {
      const timer = { cancel: () => void waiting.delete(timer) };
      waiting.set(timer, { at: now + delayMs, callback });
      return timer;
    },
  };
  const stop = awaitStopSignal(
    {
      onStopSignal: (added) => {
        listener = added;
        return () => (listener = undefined);
      },
      exitNow: (code) => void exits.push(code),
      launcher: byNpm ? { hasEnded: () => npmHasEnded } : null,
      clock: { now: () => now, monotonic: () => now },
      timers,
    },
    (line) => void said.push(line),
  );
  return {
    stop,
    said,
    exits,
    waiting,
    isListening: () => listener !== undefined,
    signal: (name: StopSignal) => listener?.(name),
    endNpm: () => (npmHasEnded = true),
    pass(ms: number) {
      for (const until = now + ms; now < until; now += 100) {
        for (const [timer, { at, callback }] of waiting) {
          if (at > now + 100) continue;
          waiting.delete(timer);
          callback();
        }
      }
    },
  };
}

test("without npm, a second signal forces the end at any time", () => {
  const { signal, exits, said } = atRest({ byNpm: false });
  signal("SIGTERM");
  expect(said).toEqual(["SIGTERM: stopping; a second signal ends it at once"]);
  expect(exits).toEqual([]);
  signal("SIGTERM");
  expect(exits).toEqual([1]);
});

test("under npm, the first signal may come twice; a third one forces the end", () => {
  const { signal, exits, said, pass } = atRest({ byNpm: true });
  signal("SIGINT");
  pass(100);
  signal("SIGINT");
  expect(exits).toEqual([]);
  expect(said).toEqual([
    "SIGINT: stopping; a second signal, 2 s from now or later, ends it at once",
  ]);
  signal("SIGINT");
  expect(exits).toEqual([1]);
});

test("under npm, a later second signal forces the end", () => {
  const { signal, exits, pass } = atRest({ byNpm: true });
  signal("SIGTERM");
  pass(3_000);
  signal("SIGTERM");
  expect(exits).toEqual([1]);
});

test("the end of npm requests a stop and forces nothing", async () => {
  const { stop, said, exits, pass, endNpm, waiting } = atRest({ byNpm: true });
  pass(60_000);
  expect(said).toEqual([]);
  endNpm();
  pass(1_000);
  await stop.requested;
  expect(said).toEqual([
    "npm has ended: stopping; a signal, 2 s from now or later, ends it at once",
  ]);
  pass(60_000);
  expect([exits, said.length, waiting.size]).toEqual([[], 1, 0]);
});

test("after a signal, the end of npm does not request the stop again", () => {
  const { signal, endNpm, said, exits, pass } = atRest({ byNpm: true });
  signal("SIGINT");
  endNpm();
  pass(10_000);
  expect([said.length, exits]).toEqual([1, []]);
});

test("without npm nothing is watched, and `release` ends the watch", () => {
  expect(atRest({ byNpm: false }).waiting.size).toBe(0);
  const { stop, waiting } = atRest({ byNpm: true });
  expect(waiting.size).toBe(1);
  stop.release();
  expect(waiting.size).toBe(0);
});

test("npm may pass the signal on after the stop: a process that has stopped in good order is not killed by it", () => {
  const npms = atRest({ byNpm: true });
  npms.signal("SIGINT");
  npms.stop.release();
  expect(npms.isListening()).toBe(true);
  npms.signal("SIGINT");
  expect(npms.exits).toEqual([]);

  for (const { byNpm, isAsked } of [
    { byNpm: true, isAsked: false },
    { byNpm: false, isAsked: true },
  ]) {
    const { stop, signal, isListening } = atRest({ byNpm });
    if (isAsked) signal("SIGINT");
    stop.release();
    expect(isListening()).toBe(false);
  }
});
