import { expect, test } from "vitest";
import type { AccountUsage, ScheduleAsked } from "../history.ts";
import { judge } from "../judge.ts";
import { held, outcome, wants } from "../support/keyed-history.ts";
import {
  accountId,
  kept,
  message,
  ok,
  refused,
  retentionMs,
  schedule,
  smallHistory,
  unknown,
} from "../support/small-history.ts";

const ids = ["a", "b", "c"];
const accepted = ids.map((messageId) =>
  schedule({ key: messageId, answer: ok(message({ messageId })) }),
);
const over = (askedAt: number): ScheduleAsked =>
  schedule({ key: "over", askedAt, answeredAt: askedAt + 5, answer: refused("E-DI-5005") });

function titles(
  usage: Partial<AccountUsage>,
  asked: readonly ScheduleAsked[] = [],
  { isComplete = true, takenAt = 900 } = {},
): string[] {
  const history = smallHistory({
    asked: [...accepted, ...asked],
    receipts: [],
    m: undefined,
    others: Object.fromEntries(ids.map((messageId) => [messageId, kept(message({ messageId }))])),
    final: {
      takenAt,
      isComplete,
      usage: [{ accountId, month: "1970-01", used: 3, limit: 3, ...usage }],
    },
  });
  return judge(history).violations.map(({ title }) => title);
}

test("exactly as many as the limit allows is right", () => {
  expect(titles({})).toEqual([]);
  expect(titles({}, [over(20)])).toEqual([]);
  expect(titles({ limit: null })).toEqual([]);
  expect(titles({ limit: 4 })).toEqual([]);
});

test("a lost answer may have been counted or not", () => {
  const lost = schedule({ key: "lost", answer: unknown });
  expect(titles({ limit: 4, used: 4 }, [lost], { isComplete: false })).toEqual([]);
  expect(titles({ limit: 4, used: 3 }, [lost], { isComplete: false })).toEqual([]);
});

test("a message may be counted that ended by its bound and was removed before anybody saw it", () => {
  const lost = schedule({ key: "lost", answer: unknown, options: { bound: { notAfterMs: 500 } } });
  const plain = schedule({ key: "lost", answer: unknown });
  const gone = { takenAt: 1_500 + retentionMs };
  const full = { limit: 4, used: 4 };
  const charged = "G14 Quota: acc_a is charged for 4 messages in 1970-01, and has 3";
  const g14 = (...given: Parameters<typeof titles>): string[] =>
    titles(...given).filter((title) => title.startsWith("G14"));
  expect(g14(full, [lost, over(20)], gone)).toEqual([]);
  expect(g14({ limit: 4, used: 3 }, [lost], gone)).toEqual([]);
  expect(g14({ limit: null, used: 5 }, [lost], gone)).toEqual([
    "G14 Quota: acc_a is charged for 5 messages in 1970-01, and has at most 4",
  ]);
  expect(g14(full, [lost], { takenAt: gone.takenAt - 1 })).toEqual([charged]);
  expect(g14(full, [plain], gone)).toEqual([charged]);
});

test("a message counts from its beginning, whichever of two calls made it, and not from a lost call after it", () => {
  const told = (payload: string): ScheduleAsked =>
    wants("replace", 100, payload, outcome("replaced", { schedulingTime: 105 }), {
      answeredAt: 110,
    });
  const lost = wants("keep", 700, "three", unknown);
  const own = { m: { ...kept(held({ schedulingTime: 105 })), payload: "two" } };
  const usage = { accountId, month: "1970-01", used: 5, limit: 5 };
  const g14 = (refusedAt: number): string[] =>
    judge(
      smallHistory({
        asked: [...accepted, told("one"), told("two"), over(refusedAt), lost],
        receipts: [],
        ...own,
        others: Object.fromEntries(
          ids.map((messageId) => [messageId, kept(message({ messageId }))]),
        ),
        final: { takenAt: 900, isComplete: true, usage: [usage] },
      }),
    )
      .violations.map(({ title }) => title)
      .filter((title) => title.startsWith("G14"));
  expect(g14(400)).toEqual([]);
  expect(g14(50)).toEqual([
    "G14 Quota: acc_a was refused a message in 1970-01 with 3 of 5 scheduled",
  ]);
});

test("each kind of error is found", () => {
  expect(titles({ limit: 2 })).toEqual([
    "G14 Quota: acc_a was let schedule 3 messages in 1970-01, 2 are its limit",
  ]);
  expect(titles({ used: 4, limit: 4 }, [over(20)])).toEqual([
    "G14 Quota: acc_a is charged for 4 messages in 1970-01, and has 3",
    "G14 Quota: acc_a was refused a message in 1970-01 with 3 of 4 scheduled",
  ]);
  expect(titles({ used: 2 })).toEqual([
    "G14 Quota: acc_a is charged for 2 messages in 1970-01, and has 3",
  ]);
});
