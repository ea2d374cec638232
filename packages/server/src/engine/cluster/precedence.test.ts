import { expect, test } from "vitest";
import { Precedence } from "./precedence.ts";

const nodeIds = ["one:1:aa", "two:2:bb", "three:3:cc"];
const nodes = nodeIds.map((nodeId) => {
  const precedence = new Precedence(nodeId);
  precedence.learn(nodeIds);
  return precedence;
});

test("the nodes agree on an order for every target, and one of them goes first", () => {
  for (let targetKey = 1; targetKey <= 200; targetKey++) {
    const delays = nodes.map((node) => node.delayMs(targetKey)).toSorted((a, b) => a - b);
    expect(delays).toEqual([0, 25, 50]);
  }
});

test("each node goes first for its share of the targets", () => {
  const first = nodes.map(
    (node) =>
      Array.from({ length: 3_000 }, (_, key) => key).filter((key) => node.delayMs(key) === 0)
        .length,
  );
  for (const count of first) expect(count).toBeGreaterThan(800);
});

test("a node that knows no other node does not wait, and no node waits long", () => {
  const alone = new Precedence("alone");
  expect(alone.delayMs(7)).toBe(0);
  const crowded = Array.from({ length: 40 }, (_, index) => `node-${index}`);
  alone.learn(crowded);
  const delays = Array.from({ length: 100 }, (_, key) => alone.delayMs(key));
  expect(Math.max(...delays)).toBe(100);
});
