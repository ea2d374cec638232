import { expect, test } from "vitest";
import type { NodeRole } from "../../storage/store.ts";
import { foundByAllMs } from "../cluster/look-ahead.ts";
import { DueTargets } from "./due-targets.ts";

const now = 1_000_000;
const delayMs = 75;

/** Due targets at `now`, on a node that comes after three others. */
function dueTargets(role: NodeRole = "all") {
  const noted: number[] = [];
  const due = new DueTargets({
    store: { clock: { now: () => now } },
    role,
    precedence: { delayMs: () => delayMs },
    bounds: { mostTaken: 2 },
    onNoted: (dueAt) => noted.push(dueAt),
  });
  return { due, noted };
}

test("a node looks at its own messages on time, and leaves what all nodes know of to the nodes before it", () => {
  const { due, noted } = dueTargets();
  due.noteOwn("acc", 1, now + foundByAllMs);
  due.noteOwn("acc", 2, now + foundByAllMs + 1);
  due.noteKnownToAll("acc", 3, now + 1);
  expect(noted).toEqual([now + foundByAllMs, now + foundByAllMs + 1 + delayMs, now + 1 + delayMs]);
});

test("overdue and freed messages wait for no other node", () => {
  const { due, noted } = dueTargets();
  due.noteKnownToAll("acc", 1, now);
  due.noteAtOnce(null, 2);
  expect(noted).toEqual([now, -Infinity]);
  expect(due.take()).toMatchObject([{ targetKey: 2 }, { targetKey: 1 }]);
});

test("a node whose clock is ahead does not ask at once for what a claim has left over", () => {
  const { due, noted } = dueTargets();
  due.noteLeft("acc", 1, now - 10, now - 30);
  due.noteLeft("acc", 2, now - 40, now - 30);
  due.noteLeft("acc", 3, now + 500, now - 30);
  expect(noted).toEqual([now + 20 + delayMs, now - 40, now + 500 + delayMs]);
});

test("due targets are taken a part at a time", () => {
  const { due } = dueTargets();
  for (const targetKey of [1, 2, 3]) due.noteOwn("acc", targetKey, now - targetKey);
  expect(due.take().map(({ targetKey }) => targetKey)).toEqual([3, 2]);
  expect(due.nextDueAt).toBe(now - 1);
  expect(due.take()).toHaveLength(1);
  expect(due.nextDueAt).toBe(Infinity);
});

test("a node that only accepts messages keeps no agenda", () => {
  const { due, noted } = dueTargets("api");
  due.noteOwn("acc", 1, now);
  due.noteKnownToAll("acc", 1, now);
  due.noteAtOnce("acc", 1);
  expect([noted, due.nextDueAt]).toEqual([[], Infinity]);
});
