import { expect, test } from "vitest";
import { findZone } from "./time-zone.ts";

test.each([
  ["europe/berlin", "Europe/Berlin"],
  ["Asia/Kolkata", "Asia/Kolkata"],
  ["Asia/Kathmandu", "Asia/Kathmandu"],
  ["Etc/UTC", "UTC"],
])("the zone %s is called %s, also where Intl knows it by an old name", (given, shown) => {
  expect(findZone(given)?.name).toBe(shown);
});
