import { expect, test } from "vitest";
import { seededRandom } from "../world/seeded-random.ts";
import { SortedList } from "./sorted-list.ts";

test("items stay in order and unique through any insertions and removals", () => {
  const random = seededRandom("sorted");
  const list = new SortedList<number>((one, other) => one - other);
  const model = new Set<number>();
  for (let round = 1; round <= 6_000; round++) {
    // From the middle of the run on there are fewer and fewer, until hardly any is left.
    const item = round < 3_000 ? random.between(1, 3_000) : random.pick([...model, 1]);
    if (model.delete(item)) {
      list.remove(item);
    } else {
      model.add(item);
      list.add(item);
    }
    if (round % 100 > 0) continue;
    const sorted = [...model].toSorted((one, other) => one - other);
    const from = sorted.filter((each) => each >= item);
    expect([list.length, list.first, list.last]).toEqual([sorted.length, sorted[0], sorted.at(-1)]);
    expect([list.has(item), list.firstFrom(item)]).toEqual([model.has(item), from[0]]);
    expect([...list.all()]).toEqual(sorted);
    expect([...list.from(item)]).toEqual(from);
    expect(list.firstWhile(300, (each) => each < item)).toEqual(
      sorted.filter((each) => each < item).slice(0, 300),
    );
  }
  list.add(9_000);
  expect(() => list.add(9_000)).toThrow("already");
  expect(() => list.remove(9_001)).toThrow("not in the list");
});
