import { expect, test } from "vitest";
import type { Message } from "../../../src/domain/message.ts";
import type { ChangeAsked, PageAsked } from "../history.ts";
import { judge } from "../judge.ts";
import {
  cancel,
  cancelled,
  kept,
  message,
  ok,
  page,
  reschedule,
  schedule,
  smallHistory,
  unknown,
} from "../support/small-history.ts";
import type { SmallHistory } from "../support/small-history.ts";

/** Three messages that wait, two of them for the same instant. */
const items = [
  ["a", 1_000],
  ["b", 2_000],
  ["c", 2_000],
] as const;
const listed = items.map(([messageId, dueAt]) =>
  message({ messageId, originalDeliveryTime: dueAt, nextDeliveryTime: dueAt }),
);
const [a, b, c] = listed as [Message, Message, Message];

function titles(asked: SmallHistory["asked"] & {}, last: readonly Message[] = listed): string[] {
  const schedules = listed.map((shown) =>
    schedule({ key: shown.messageId, dueAt: shown.originalDeliveryTime, answer: ok(shown) }),
  );
  const history = smallHistory({
    asked: [...schedules, ...asked],
    receipts: [],
    m: undefined,
    others: Object.fromEntries(last.map((shown) => [shown.messageId, kept(shown)])),
    final: { takenAt: 900 },
  });
  return judge(history).violations.map(({ title }) => title);
}

const of = (messageId: string, change: ChangeAsked): ChangeAsked => ({ ...change, messageId });
const firstPage = (shown: readonly Message[]): PageAsked =>
  page(shown, { answer: { kind: "ok", items: shown, isLast: false }, limit: 2 });
const secondPage = (shown: readonly Message[]): PageAsked =>
  page(shown, { askedAt: 120, answeredAt: 130, limit: 2 });

test("walks that return each item once and in order are right", () => {
  expect(titles([firstPage([a, b]), secondPage([c])])).toEqual([]);
  expect(titles([firstPage([a, b])])).toEqual([]);
  expect(titles([page([b, c], { minTime: 1_001 })])).toEqual([]);
  expect(titles([page([a], { maxTime: 1_000 })])).toEqual([]);
  expect(titles([page([], { targetId: "elsewhere" })])).toEqual([]);
  expect(titles([page([], { accountId: "acc_other" })])).toEqual([]);
});

test("an item that moved during a walk may appear or not", () => {
  const gone = cancelled(115, { messageId: "b", originalDeliveryTime: 2_000 });
  const change = of("b", cancel(105, 125, ok(gone)));
  const last = [a, gone, c];
  expect(titles([firstPage([a, b]), change, secondPage([c])], last)).toEqual([]);
  expect(titles([firstPage([a]), change, secondPage([c])], last)).toEqual([]);
  const lost = of("b", reschedule(50, 60, 9_000, unknown));
  expect(titles([page([a, c]), lost])).toEqual([]);
});

test("each kind of error in a walk is found", () => {
  const walk = (...shown: Message[]) => titles([page(shown)]);
  expect(walk(a, c)).toEqual([
    "G12 Walks: b stood among the scheduled all the time, and was not listed (walk walk)",
  ]);
  expect(titles([firstPage([a, b]), secondPage([b, c])])).toEqual([
    "G12 Walks: b was listed twice, after b (walk walk)",
  ]);
  expect(walk(a, c, b)).toEqual(["G12 Walks: b was listed out of order, after c (walk walk)"]);
  expect(walk(b, a, c)).toEqual(["G12 Walks: a was listed out of order, after b (walk walk)"]);
  expect(titles([page([a, b, c], { minTime: 1_500 })])).toEqual([
    "G12 Walks: a was listed among the scheduled of t, where it does not belong (walk walk)",
  ]);
  expect(titles([page([a, b, c], { limit: 2 })])).toEqual([
    "G12 Walks: a page of 2 held 3 (walk walk)",
  ]);
  expect(titles([page([a], { accountId: "acc_other" })])).toEqual([
    "G12 Walks: a was listed for acc_other, and is another account's (walk walk)",
  ]);
  expect(titles([firstPage([b]), secondPage([c])])).toEqual([
    "G12 Walks: a stood among the scheduled all the time, and was not listed (walk walk)",
  ]);
});

test("a page shows the message as it was", () => {
  const early = message({ ...a, nextDeliveryTime: 999 });
  expect(titles([page([early, b, c])])[0]).toMatch(/^G11 One history: a /);
});

test("walks of dead letters are judged too", () => {
  const attempts = [1_000, 1_520, 2_040].map((startTime, index) => ({
    number: index + 1,
    startTime,
    endTime: startTime + 1,
    outcome: "TIMEOUT" as const,
    statusCode: null,
    error: null,
    response: null,
  }));
  const dead = message({
    state: "DEAD_LETTER",
    deliveryFailureCount: 3,
    lastDeliveryTime: 2_040,
    deadLetterTime: 2_050,
  });
  const walked = (shown: readonly Message[], asked: Partial<PageAsked> = {}) =>
    judge(
      smallHistory({
        asked: [
          schedule(),
          page(shown, { list: "dead letters", askedAt: 3_000, answeredAt: 3_010, ...asked }),
        ],
        receipts: [],
        m: kept(dead, ...attempts),
      }),
    ).violations.map(({ title }) => title);
  expect(walked([dead])).toEqual([]);
  expect(walked([], { askedAt: 2_040 })).toEqual([]);
  expect(walked([])).toEqual([
    "G12 Walks: m stood among the dead letters all the time, and was not listed (walk walk)",
  ]);
});
