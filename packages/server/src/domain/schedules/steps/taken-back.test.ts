import { expect, test } from "vitest";
import { openRunsSince } from "./taken-back.ts";
import { someDefinition } from "./testing/some-definition.ts";
import { clock, World } from "./testing/world.ts";

test("a removal cancels what is not due yet", () => {
  const world = new World(someDefinition({ everyMs: 1_000 }), clock("09:00:00"));
  world.messageOf(clock("09:00:02"))!.state = "IN_FLIGHT";
  world.outageUntil(clock("09:00:01"));
  expect(world.remove()).toEqual(["msg_3", "msg_4", "msg_5"]);
});

test("runs are open for as long as their flex window, and no longer", () => {
  const world = new World(someDefinition({ flexWindowMs: 60_000 }), clock("09:00:00"));
  expect(openRunsSince(world.schedule, clock("09:05:00"))).toBe(clock("09:04:00"));
});
