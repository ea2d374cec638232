import { setTimeout as pause } from "node:timers/promises";
import { afterAll, expect, vi } from "vitest";

/** What a test file must not leave behind: listening servers and child processes. */
const owned = new Set(["TCPServerWrap", "ProcessWrap"]);

/** Files run one after the other in one process, so each must leave it as it found it. */
const surroundings = () => ({
  directory: process.cwd(),
  environment: { ...process.env },
  hasFakeTimers: vi.isFakeTimers(),
});
const found = surroundings();

afterAll(async () => {
  const leaked = (): string[] =>
    process.getActiveResourcesInfo().filter((resource) => owned.has(resource));
  // A close takes some ticks of the event loop to finish.
  for (let turn = 0; turn < 100 && leaked().length > 0; turn++) await pause(10);
  expect(leaked(), "handles left open").toEqual([]);
  expect(surroundings(), "surroundings left changed").toEqual(found);
});
