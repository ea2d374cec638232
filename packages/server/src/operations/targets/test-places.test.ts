import { expect, test } from "vitest";
import { TestPlaces } from "./test-places.ts";

test("an account has a few places, and gets back what it gave back", () => {
  const places = new TestPlaces();
  const taken = Array.from({ length: 4 }, () => places.take("one"));
  expect(taken).not.toContain(undefined);
  expect(places.take("one")).toBeUndefined();
  expect(places.take("two")).toBeDefined();
  taken[0]!.giveBack();
  expect(places.take("one")).toBeDefined();
  expect(places.take("one")).toBeUndefined();
});

test("accounts that have some leave a place for those that have none", () => {
  const places = new TestPlaces();
  for (let account = 0; account < 100; account++) {
    while (places.take(`greedy ${account}`) !== undefined);
  }
  expect(places.take("greedy 0")).toBeUndefined();
  expect(places.take("newcomer")).toBeDefined();
});

test("all accounts together have no more than there are", () => {
  const places = new TestPlaces();
  const taken = Array.from({ length: 300 }, (_, account) => places.take(`one of many ${account}`));
  expect(taken.filter((place) => place !== undefined)).toHaveLength(256);
});
