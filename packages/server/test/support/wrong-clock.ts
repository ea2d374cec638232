import { expect } from "vitest";
import { clocksUnder } from "./clocks-under.ts";
import type { ServerProcess } from "./server-process.ts";

export const hour = 3_600_000;
/** Enough for a slow machine, and far less than an hour. */
export const slackMs = 10_000;

export function expectNear(text: unknown, time: number, withinMs = slackMs): void {
  const found = Date.parse(String(text));
  expect(found, String(text)).toBeGreaterThan(time - withinMs);
  expect(found, String(text)).toBeLessThan(time + withinMs);
}

/** Expects an instant that is neither early nor late by the right clock. */
export function expectAt(at: number, due: number): void {
  expect(at).toBeGreaterThanOrEqual(due);
  expect(at).toBeLessThan(due + slackMs);
}

/** Makes sure that the clock is off. Otherwise the suite would pass without testing anything. */
export async function expectWallClockOff(
  env: Readonly<Record<string, string>>,
  offsetMs: number,
  server: ServerProcess,
): Promise<void> {
  const clocks = await clocksUnder(env);
  expect(Math.abs(clocks.wallOffMs - offsetMs)).toBeLessThan(slackMs);
  expect(Math.abs(clocks.wallOffInThreadMs - offsetMs)).toBeLessThan(slackMs);
  expect(clocks.isMonotonicTrue).toBe(true);
  const [logged] = /(?<="time":")[^"]+(?=".*"msg":"ready")/.exec(server.output()) ?? [];
  expectNear(logged, Date.now() + offsetMs, 5 * 60_000);
}
