import { afterEach, describe, expect, test, vi } from "vitest";
import { foregroundTimers, pause, systemTimers } from "./timers.ts";

afterEach(() => vi.useRealTimers());

const day = 86_400_000;

describe.each([
  ["systemTimers", systemTimers, false],
  ["foregroundTimers", foregroundTimers, true],
])("%s", (_name, timers, keepsAlive) => {
  test("a wait of sixty days does not end before sixty days", () => {
    vi.useFakeTimers();
    let fired = 0;
    timers.after(60 * day, () => fired++);
    vi.advanceTimersByTime(60 * day - 1);
    expect(fired).toBe(0);
    vi.advanceTimersByTime(1);
    expect(fired).toBe(1);
  });

  test("a long wait can be cancelled in its second part", () => {
    vi.useFakeTimers();
    let fired = 0;
    const timer = timers.after(60 * day, () => fired++);
    vi.advanceTimersByTime(40 * day);
    timer.cancel();
    vi.advanceTimersByTime(100 * day);
    expect(fired).toBe(0);
  });

  test(`a wait ${keepsAlive ? "keeps" : "does not keep"} the process alive`, () => {
    const count = () =>
      process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length;
    const before = count();
    const timer = timers.after(day, () => {});
    const during = count();
    timer.cancel();
    expect(during - before).toBe(keepsAlive ? 1 : 0);
    expect(count()).toBe(before);
  });
});

test("a pause ends with its signal", async () => {
  const stop = new AbortController();
  const pausing = pause(systemTimers, day, stop.signal);
  stop.abort();
  await expect(pausing).resolves.toBeUndefined();
  await expect(pause(systemTimers, day, stop.signal)).resolves.toBeUndefined();
});
