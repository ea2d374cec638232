import { expect, test } from "vitest";
import { FairPlaces } from "./fair-places.ts";

/** Places, and everybody who is inside, in the order of their entry. */
function placesOf(limit: number) {
  const places = new FairPlaces(limit);
  const inside: { readonly name: string; readonly leave: () => void }[] = [];
  return {
    inside: () => inside.map(({ name }) => name),
    enter: (name: string, accountId = name[0]!) =>
      places.enter(accountId, (giveBack) => void inside.push({ name, leave: giveBack })),
    leave(name: string) {
      const index = inside.findIndex((one) => one.name === name);
      const [left] = inside.splice(index, 1);
      left!.leave();
      return left!.leave;
    },
  };
}

test("one account leaves half of the places to others", () => {
  const { enter, inside } = placesOf(8);
  for (const name of ["a1", "a2", "a3", "a4", "a5"]) enter(name);
  expect(inside()).toEqual(["a1", "a2", "a3", "a4"]);
  enter("b1");
  enter("c1");
  expect(inside().slice(4)).toEqual(["b1", "c1"]);
});

test("accounts take turns for a place that comes free, and each keeps its order", () => {
  const { enter, leave, inside } = placesOf(2);
  enter("a1");
  enter("b1");
  for (const name of ["c1", "c2", "d1", "e1"]) enter(name);
  expect(inside()).toEqual(["a1", "b1"]);
  leave("a1");
  leave("b1");
  expect(inside()).toEqual(["c1", "d1"]);
  leave("d1");
  expect(inside()).toEqual(["c1", "e1"]);
  leave("c1");
  expect(inside()).toEqual(["e1", "c2"]);
});

test("who leaves the line gets no place, and a place is given back once", () => {
  const { enter, leave, inside } = placesOf(1);
  enter("a1");
  const leaveLine = enter("b1");
  enter("c1");
  leaveLine();
  const again = leave("a1");
  expect(inside()).toEqual(["c1"]);
  again();
  enter("d1");
  expect(inside()).toEqual(["c1"]);
});
