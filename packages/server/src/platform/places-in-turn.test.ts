import { expect, test } from "vitest";
import { PlacesInTurn } from "./places-in-turn.ts";

/** Places, and who is inside; the name is the first letter. */
function scene(places: number, placesOfOne?: number) {
  const inTurn = new PlacesInTurn(placesOfOne === undefined ? { places } : { places, placesOfOne });
  const inside = new Map<string, () => void>();
  const entered: string[] = [];
  return {
    entered,
    enter: (who: string) =>
      inTurn.enter(who[0]!, (giveBack) => {
        entered.push(who);
        inside.set(who, giveBack);
      }),
    leave(who: string) {
      const giveBack = inside.get(who)!;
      inside.delete(who);
      giveBack();
    },
  };
}

test("whoever finds a free place enters at once, the others when one is given back", () => {
  const { enter, leave, entered } = scene(2);
  for (const who of ["a1", "a2", "a3", "b1"]) enter(who);
  expect(entered).toEqual(["a1", "a2"]);
  leave("a2");
  leave("a1");
  expect(entered).toEqual(["a1", "a2", "a3", "b1"]);
});

test("names take turns, and those of one name keep their order", () => {
  const { enter, leave, entered } = scene(1);
  for (const who of ["a1", "a2", "a3", "a4", "b1", "c1", "b2"]) enter(who);
  for (let index = 0; index < 6; index++) leave(entered[index]!);
  expect(entered).toEqual(["a1", "a2", "b1", "c1", "a3", "b2", "a4"]);
});

test("one name has so many places at most, and does not keep others waiting", () => {
  const { enter, leave, entered } = scene(4, 2);
  for (const who of ["a1", "a2", "a3", "b1"]) enter(who);
  expect(entered).toEqual(["a1", "a2", "b1"]);
  leave("b1");
  expect(entered).toEqual(["a1", "a2", "b1"]);
  leave("a1");
  expect(entered).toEqual(["a1", "a2", "b1", "a3"]);
});

test("whoever leaves the line never enters, and takes nobody's turn", () => {
  const { enter, leave, entered } = scene(1);
  enter("a1");
  const leaveLine = enter("b1");
  enter("c1");
  leaveLine();
  leaveLine();
  leave("a1");
  leave("c1");
  expect(entered).toEqual(["a1", "c1"]);
});

test("leaving the line after entering gives nothing back", () => {
  const { enter, leave, entered } = scene(1);
  const leaveLine = enter("a1");
  enter("b1");
  leaveLine();
  expect(entered).toEqual(["a1"]);
  leave("a1");
  expect(entered).toEqual(["a1", "b1"]);
});

test("a place that is given back while entering goes to the next", () => {
  const inTurn = new PlacesInTurn({ places: 1 });
  const entered: string[] = [];
  const first: { giveBack?: () => void } = {};
  inTurn.enter("a", (giveBack) => void (first.giveBack = giveBack));
  for (const name of ["b", "c", "d"]) {
    inTurn.enter(name, (giveBack) => {
      entered.push(name);
      giveBack();
    });
  }
  first.giveBack!();
  expect(entered).toEqual(["b", "c", "d"]);
});

test("work has a place until it has ended, also when it fails", async () => {
  const inTurn = new PlacesInTurn({ places: 1 });
  const first = Promise.withResolvers<string>();
  const begun: string[] = [];
  const run = (name: string, work: () => Promise<string>) =>
    inTurn.run(name, () => {
      begun.push(name);
      return work();
    });
  const [a, b] = [run("a", () => first.promise), run("b", async () => "done")];
  expect(begun).toEqual(["a"]);
  first.reject(new Error("no"));
  await expect(a).rejects.toThrow("no");
  expect([await b, begun]).toEqual(["done", ["a", "b"]]);
});
