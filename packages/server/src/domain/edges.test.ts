import { expect, test } from "vitest";
import { placeBetween } from "./edges.ts";

test("a time has its place between two edges, the first of them included", () => {
  const edges = [10, 20, 20, 30];
  expect([9, 10, 19, 20, 29, 30].map((time) => placeBetween(edges, time))).toEqual([
    -1, 0, 0, 2, 2, 3,
  ]);
});
