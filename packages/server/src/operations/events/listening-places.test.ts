import { expect, test } from "vitest";
import { RequestLimited } from "../../domain/refusals.ts";
import { ListeningPlaces } from "./listening-places.ts";
import type { ListeningPlace } from "./listening-places.ts";

const takeAll = (places: ListeningPlaces, accountId: string): ListeningPlace[] => {
  const taken: ListeningPlace[] = [];
  for (;;) {
    try {
      taken.push(places.take(accountId));
    } catch (error) {
      expect(error).toBeInstanceOf(RequestLimited);
      return taken;
    }
  }
};

test("an account has at most 100, and others have theirs", () => {
  const places = new ListeningPlaces({ places: 1_000 });
  expect(takeAll(places, "a")).toHaveLength(100);
  expect(takeAll(places, "b")).toHaveLength(100);
});

test("where there are few, an account leaves as many free as it has", () => {
  const places = new ListeningPlaces({ places: 40 });
  expect(takeAll(places, "a")).toHaveLength(20);
  expect(takeAll(places, "b")).toHaveLength(10);
  expect(takeAll(places, "c")).toHaveLength(5);
});

test("a place that is given back can be taken again, and is given back once", () => {
  let count = 0;
  const places = new ListeningPlaces({ places: 2, onTaken: (taken) => void (count = taken) });
  const first = places.take("a");
  places.take("b");
  expect(count).toBe(2);
  expect(() => places.take("c")).toThrow(RequestLimited);
  first.giveBack();
  first.giveBack();
  expect(count).toBe(1);
  places.take("c");
  expect(() => places.take("d")).toThrow(RequestLimited);
});
