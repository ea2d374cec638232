import { expect, test } from "vitest";
import { inTurns } from "./turns.ts";

test("each is measured once a turn, one after the other, and reported at once", async () => {
  const order: string[] = [];
  const measure = (name: string) => async () => order.push(name);
  const told: string[] = [];
  const measured = await inTurns(
    2,
    { limit: measure("limit"), service: measure("service") },
    (turn, name, value) => told.push(`${turn} ${name} ${value}`),
    0,
  );
  expect(order).toEqual(["limit", "service", "limit", "service"]);
  expect(measured).toEqual({ limit: [1, 3], service: [2, 4] });
  expect(told).toEqual(["1 limit 1", "1 service 2", "2 limit 3", "2 service 4"]);
});
