import { expect, test } from "vitest";
import { Capacity } from "../../../engine/delivery/capacity.ts";
import { alerts } from "./alert-rules.ts";

test("the targets of one account can fill so many slots that the alert fires, although others keep room", () => {
  const { expr } = alerts.find(({ name }) => name === "PostdateSlotsTaken")!;
  const [, share] = /^postdate_in_flight > (0\.\d+) \* postdate_slots$/.exec(expr)!;
  const slots = 1_000;
  const capacity = new Capacity(slots);
  const targets = Array.from({ length: 10 }, () => ({ inFlight: 0 }));
  // Each takes what it may, again and again.
  for (let turn = 0; turn < 100; turn++) {
    for (const target of targets) capacity.reserve("one", target, slots);
  }
  expect(capacity.taken).toBeLessThan(slots);
  expect(capacity.taken).toBeGreaterThan(Number(share) * slots);
});
