import { expect, test } from "vitest";
import { openPart, startInOrder, stopInReverse, stoppedTogether } from "./running-parts.ts";
import type { RunningPart } from "./running-parts.ts";

/** Parts that record their starts and stops, also those that fail. */
function diary(fails: readonly string[] = []) {
  const entries: string[] = [];
  const enter = async (entry: string): Promise<void> => {
    entries.push(entry);
    await new Promise(setImmediate);
    if (fails.includes(entry)) throw new Error(`failed: ${entry}`);
    entries.push(`${entry}.`);
  };
  const part = (name: string): RunningPart => ({
    start: () => enter(`start ${name}`),
    stop: () => enter(`stop ${name}`),
  });
  return { entries, parts: ["a", "b", "c"].map(part) };
}

test("parts start one after the other, and stop in reverse order", async () => {
  const { entries, parts } = diary();
  await startInOrder(parts);
  await stopInReverse(parts);
  expect(entries).toEqual([
    ...["start a", "start a.", "start b", "start b.", "start c", "start c."],
    ...["stop c", "stop c.", "stop b", "stop b.", "stop a", "stop a."],
  ]);
});

test("a failed start stops that part and those before it, and starts none after it", async () => {
  const { entries, parts } = diary(["start b"]);
  await expect(startInOrder(parts)).rejects.toThrow("failed: start b");
  expect(entries).toEqual([
    ...["start a", "start a.", "start b"],
    ...["stop b", "stop b.", "stop a", "stop a."],
  ]);
});

test("a failed start is reported, even if the stop after it fails too", async () => {
  const { entries, parts } = diary(["start c", "stop b"]);
  await expect(startInOrder(parts)).rejects.toThrow("failed: start c");
  expect(entries.slice(-5)).toEqual(["stop c", "stop c.", "stop b", "stop a", "stop a."]);
});

test("a failed stop is reported, and the other parts are still stopped", async () => {
  const { entries, parts } = diary(["stop b"]);
  await expect(stopInReverse(parts)).rejects.toThrow("failed: stop b");
  expect(entries).toEqual(["stop c", "stop c.", "stop b", "stop a", "stop a."]);
});

test("several failed stops are reported together", async () => {
  const { parts } = diary(["stop a", "stop c"]);
  const failure = await stopInReverse(parts).catch((error: unknown) => error);
  expect(failure).toMatchObject({
    errors: [{ message: "failed: stop c" }, { message: "failed: stop a" }],
  });
});

test("parts that are stopped together start in order, and all begin to stop at once", async () => {
  const { entries, parts } = diary(["stop b"]);
  const [a, b, c] = parts as [RunningPart, RunningPart, RunningPart];
  const list = [a, stoppedTogether([b, c])];
  await startInOrder(list);
  await expect(stopInReverse(list)).rejects.toThrow("failed: stop b");
  expect(entries).toEqual([
    ...["start a", "start a.", "start b", "start b.", "start c", "start c."],
    ...["stop b", "stop c", "stop c.", "stop a", "stop a."],
  ]);
});

test("a failed start among parts that are stopped together stops all of them", async () => {
  const { entries, parts } = diary(["start b"]);
  await expect(startInOrder([stoppedTogether(parts)])).rejects.toThrow("failed: start b");
  expect(entries.slice(3).toSorted()).toEqual(
    ["stop a", "stop a.", "stop b", "stop b.", "stop c", "stop c."].toSorted(),
  );
});

test("an open resource is closed after all parts that use it", async () => {
  const { entries, parts } = diary();
  const list = [openPart(async () => void entries.push("closed")), ...parts];
  await startInOrder(list);
  await stopInReverse(list);
  expect(entries.at(-1)).toBe("closed");
});
