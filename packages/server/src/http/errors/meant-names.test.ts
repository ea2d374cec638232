import { expect, test } from "vitest";
import { meantNames } from "./meant-names.ts";

const known = ["timeZone", "deliveryTime", "minTime", "maxTime", "everyMs", "at", "labels"];

test.each([
  ["timezone", ["timeZone"]],
  ["delivery_time", ["deliveryTime"]],
  ["DELIVERY-TIME", ["deliveryTime"]],
  ["every", ["everyMs"]],
  ["label", ["labels"]],
  ["mixTime", ["minTime", "maxTime"]],
  ["payload", []],
  ["zone", []],
  ["", []],
])("%j may mean %j", (name, meant) => expect(meantNames(name, known)).toEqual(meant));
