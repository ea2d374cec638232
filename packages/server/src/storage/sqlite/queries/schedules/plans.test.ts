import { test } from "vitest";
import { expectIndexedPlans } from "../../testing/indexed-plans.ts";

test("no statement about schedules reads a whole table, or sorts what it reads", () => {
  expectIndexedPlans(/\b(?:schedule(?:s|_runs|_definitions)|moved_runs)\b/, 20);
});
