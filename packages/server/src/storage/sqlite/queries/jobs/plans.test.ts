import { test } from "vitest";
import { expectIndexedPlans } from "../../testing/indexed-plans.ts";

test("no statement about jobs reads a whole table, or sorts what it reads", () => {
  expectIndexedPlans(/\bjob(?:s|_messages)\b/, 10);
});
