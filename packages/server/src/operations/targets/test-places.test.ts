import { expect, test } from "vitest";
import { TestPlaces } from "./test-places.ts";

test("an account has a few places, and can take again what it gave back", () => {
  const places = new TestPlaces();
  const taken = Array.from({ length: 4 }, () => places.take("one"));
  expect(taken).not.toContain(undefined);
  expect(places.take("one")).toBeUndefined();
  expect(places.take("two")).toBeDefined();
  taken[0]!.giveBack();
  expect(places.take("one")).toBeDefined();
  expect(places.take("one")).toBeUndefined();
});

test("accounts that hold places leave one for an account that holds none", () => {
  const places = new TestPlaces();
  for (let account = 0; account < 100; account++) {
    while (places.take(`greedy ${account}`) !== undefined);
  }
  expect(places.take("greedy 0")).toBeUndefined();
  expect(places.take("newcomer")).toBeDefined();
});

test("all accounts together hold no more than the total", () => {
  const places = new TestPlaces();
  const taken = Array.from({ length: 300 }, (_, account) => places.take(`one of many ${account}`));
  expect(taken.filter((place) => place !== undefined)).toHaveLength(256);
});
