import type { TargetStats } from "@postdate/client";
import { expect, test } from "vitest";
import { troubledTargets } from "./troubled-targets.ts";

const asOf = "2026-11-18T12:00:00.000Z";
const count = (value: number) => ({ value, exact: true, asOf });

function target(targetId: string, change: Partial<TargetStats> = {}): TargetStats {
  const idle = { paused: false, inFlight: 0, maxConcurrency: 2 };
  const lastHour = { attempts: 100, failed: 10 };
  return { targetId, ...idle, waiting: count(0), deadLetters: count(0), lastHour, ...change };
}

const idsOf = (targets: readonly TargetStats[]) => targets.map(({ targetId }) => targetId);

test("a few failures, a full lane without a queue and dead letters are no trouble", () => {
  const all = [
    target("a"),
    target("b", { inFlight: 2 }),
    target("c", { inFlight: 1, waiting: count(3) }),
  ];
  expect(troubledTargets(all)).toEqual({ paused: [], failing: [], full: [] });
});

test("the worst come first", () => {
  const { paused, failing, full } = troubledTargets([
    target("p1", { paused: true }),
    target("p2", { paused: true, waiting: count(9), inFlight: 2 }),
    target("f1", { lastHour: { attempts: 100, failed: 11 } }),
    target("f2", { lastHour: { attempts: 1_000, failed: 900 } }),
    target("l1", { inFlight: 2, waiting: count(1) }),
    target("l2", { inFlight: 3, waiting: count(2) }),
  ]);
  expect(idsOf(paused)).toEqual(["p2", "p1"]);
  expect(idsOf(failing)).toEqual(["f2", "f1"]);
  expect(idsOf(full)).toEqual(["l2", "l1"]);
});
