import { expect, test } from "vitest";
import { judge } from "../judge.ts";
import {
  accountId,
  attempt,
  delivered,
  kept,
  message,
  ok,
  receipt,
  schedule,
  smallHistory,
} from "../support/small-history.ts";
import type { SmallHistory } from "../support/small-history.ts";

/** The violations among two hundred messages for `t`, each attempted `lateMs` late, while `u` hangs. */
function titles(lateMs: (index: number) => number, parts: SmallHistory = {}): string[] {
  const ids = Array.from({ length: 200 }, (_, index) => `m${index}`);
  const history = smallHistory({
    asked: ids.map((messageId) => schedule({ key: messageId, answer: ok(message({ messageId })) })),
    receipts: ids.map((messageId, index) =>
      receipt(1_000 + lateMs(index), { messageId, webhookId: messageId }),
    ),
    m: undefined,
    others: Object.fromEntries(
      ids.map((messageId, index) => {
        const at = 1_000 + lateMs(index);
        return [messageId, kept(delivered(at, { messageId }), attempt(at))];
      }),
    ),
    faults: [{ kind: "hang", accountId, targetId: "u", at: 0, until: 9_000 }],
    ...parts,
  });
  return judge(history).violations.map(({ title }) => title);
}

test("one message in a hundred may be late while another target hangs, and no more", () => {
  expect(titles((index) => (index < 2 ? 900 : 250))).toEqual([]);
  expect(titles((index) => (index < 3 ? 900 : 250))).toEqual([
    "G8 Isolation: m0 was 900 ms late while u hung, which is the 99th percentile of 200 others",
  ]);
});

test("only messages due meanwhile are measured, and none that another fault delayed", () => {
  const hang = { kind: "hang", accountId, targetId: "u", at: 1_001, until: 9_000 } as const;
  expect(titles(() => 900, { faults: [hang] })).toEqual([]);
  const store = { kind: "store", node: null, at: 1_100, until: 1_500, commit: "before" } as const;
  expect(titles(() => 900, { faults: [{ ...hang, at: 0 }, store] })).toEqual([]);
});

test("a call to the store that failed delays a target for a second, and no longer", () => {
  const hang = { kind: "hang", accountId, targetId: "u", at: 0, until: 9_000 } as const;
  const failed = (at: number) =>
    ({ kind: "store", node: null, at, until: at, commit: "before" }) as const;
  expect(titles(() => 900, { faults: [hang, failed(0)] })).toEqual([]);
  expect(titles(() => 900, { faults: [hang, failed(-1)] })).toHaveLength(1);
});
