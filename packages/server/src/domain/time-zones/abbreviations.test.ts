import { expect, test } from "vitest";
import { isAbbreviation } from "./abbreviations.ts";
import { findZone } from "./time-zone.ts";

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** All names of three letters that `Intl` knows. */
const known = [...letters]
  .flatMap((one) => [...letters].flatMap((two) => [...letters].map((third) => one + two + third)))
  .filter((name) => findZone(name) !== undefined);

test("of the names of three letters that are known here, those are abbreviations that IANA does not have", () => {
  const [abbreviations, names] = [true, false].map((wanted) =>
    known.filter((name) => isAbbreviation(name) === wanted),
  );
  expect(abbreviations).toEqual(expect.arrayContaining(["AST", "BST", "CST", "IST", "PST"]));
  expect(names!.toSorted()).toEqual([
    "CET",
    "EET",
    "EST",
    "GMT",
    "HST",
    "MET",
    "MST",
    "PRC",
    "ROC",
    "ROK",
    "UCT",
    "UTC",
    "WET",
  ]);
});

test.each(["bst", "SystemV/PST8", "EDT"])("%s is an abbreviation", (name) => {
  expect(isAbbreviation(name)).toBe(true);
});

test.each(["Europe/London", "utc", "GB", "Zulu", "EST5EDT", "Etc/GMT+5", "GMT0", "NZ"])(
  "%s is a name of IANA",
  (name) => {
    expect(isAbbreviation(name)).toBe(false);
  },
);
