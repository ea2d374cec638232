import { expect, test } from "vitest";
import { readSearch } from "./qualifiers.ts";

const now = Date.parse("2026-11-18T12:00:00Z");
const read = (text: string) => readSearch(text, () => now);

test("a bare word and id: lead to one message", () => {
  expect(read("  0193abc ")).toEqual({ kind: "message", messageId: "0193abc" });
  expect(read("id:0193abc")).toEqual({ kind: "message", messageId: "0193abc" });
});

test("qualifiers are joined", () => {
  expect(
    read('target:mail STATE:dead,scheduled label:order=4711 label:"who=a b" key:x scheduled:2h'),
  ).toEqual({
    kind: "find",
    query: {
      targetId: "mail",
      key: "x",
      state: ["DEAD_LETTER", "SCHEDULED"],
      labels: { order: "4711", who: "a b" },
      minTime: new Date("2026-11-18T10:00:00Z"),
    },
  });
  expect(read("")).toEqual({ kind: "find", query: {} });
});

test("due: lists what a target gets next", () => {
  expect(read("due:30m target:mail")).toEqual({
    kind: "due",
    targetId: "mail",
    range: { maxTime: new Date("2026-11-18T12:30:00Z") },
  });
  expect(read("target:mail due:2026-11-19..2026-11-20T06:00:00+02:00")).toMatchObject({
    range: { minTime: new Date("2026-11-19"), maxTime: new Date("2026-11-20T04:00:00Z") },
  });
});

test("the lists of a target answer what they can", () => {
  expect(read("target:mail state:scheduled")).toEqual({ kind: "due", targetId: "mail", range: {} });
  expect(read("state:dead target:mail")).toEqual({ kind: "dead", targetId: "mail" });
  expect(read("target:mail state:dead,scheduled").kind).toBe("find");
  expect(read("target:mail state:dead key:a").kind).toBe("find");
});

test.each([
  ["colour:red", /There is no colour:/],
  ["state:lost", /"lost" is no state/],
  ["label:order", /write label:name=value/],
  ["due:2h", /due: needs target:/],
  ["due:2h target:a state:dead", /goes with target: alone/],
  ["scheduled:yesterday", /"yesterday" is no time/],
  ["scheduled:2026-13-40..", /"2026-13-40" is no time/],
  ["target:a target:b", /target: can stand there once/],
  ["id:a target:b", /id: stands alone/],
])("%s is unclear, and says why", (text, problem) => {
  const { kind, problem: said } = read(text) as { kind: string; problem: string };
  expect(kind).toBe("unclear");
  expect(said).toMatch(problem);
});
