import { expect, test } from "vitest";
import { idTimesOf, isFound } from "./message-search.ts";
import type { MessageSearch } from "./message-search.ts";
import { scheduled } from "./transitions.ts";

const now = Date.UTC(2026, 10, 15, 12);
const minute = 60_000;
const message = scheduled(
  {
    messageId: "msg_1",
    targetId: "t",
    deliveryTime: now,
    options: {
      key: "k",
      labels: { a: "1", b: "2" },
      schedule: { scheduleId: "digest", runTime: now },
    },
  },
  now,
);
const everything: MessageSearch = {
  states: null,
  targetId: null,
  labels: [],
  minTime: null,
  maxTime: null,
  order: "newest",
};

test.each<[Partial<MessageSearch>, boolean]>([
  [{}, true],
  [{ states: ["SCHEDULED"] }, true],
  [{ states: ["DELIVERED", "SCHEDULED"] }, true],
  [{ states: ["DELIVERED"] }, false],
  [{ targetId: "t" }, true],
  [{ targetId: "u" }, false],
  [{ labels: ["a:1"] }, true],
  [{ labels: ["a:1", "b:2"] }, true],
  [{ labels: ["a:1", "b:3"] }, false],
  [{ labels: ["c:1"] }, false],
  [{ labels: [":k"] }, true],
  [{ labels: ["@digest", "a:1", ":k"] }, true],
  [{ labels: ["@other"] }, false],
  [{ labels: [":digest"] }, false],
  [{ minTime: now, maxTime: now }, true],
  [{ minTime: now + 1 }, false],
  [{ maxTime: now - 1 }, false],
])("a search for %j finds it: %s", (search, expected) => {
  expect(isFound({ ...everything, ...search }, message)).toBe(expected);
});

test("ids are looked at a minute beyond the times of a search", () => {
  expect(idTimesOf({ minTime: now - 9, maxTime: now - 5 }, now)).toEqual({
    from: now - 9 - minute,
    until: now - 5 + minute,
  });
  expect(idTimesOf({ minTime: null, maxTime: null }, now)).toEqual({ from: null, until: null });
});

test("a time that is not over yet leaves no id out, however far ahead", () => {
  for (const maxTime of [now, now + 1, now + 900 * minute]) {
    expect(idTimesOf({ minTime: now, maxTime }, now).until).toBeNull();
  }
});
