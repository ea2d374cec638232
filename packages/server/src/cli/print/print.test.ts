import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import type { Message } from "@postdate/client";
import { paintFor } from "../terminal/colours.ts";
import { messageId, wireMessage, wireTarget } from "../testing/samples.ts";
import { alignedRows, onOneLine, shortened } from "../terminal/aligned.ts";
import { attemptRows } from "./attempts.ts";
import { deadLetterRows, messageCard } from "./messages.ts";
import { relativeTime, timeBeside } from "../terminal/relative-time.ts";
import { targetCard } from "./targets.ts";

const now = 1_794_648_596_000;
const plain = { paint: paintFor({ write: () => {} }, {}), now, columns: null };
const coloured = { paint: paintFor({ isTTY: true, write: () => {} }, {}), now, columns: null };

test.each([
  [0, "now"],
  [-499, "now"],
  [4_000, "in 4 s"],
  [-1_400, "1 s ago"],
  [59_700, "in 1 min"],
  [-180_000, "3 min ago"],
  [89_000, "in 1 min 29 s"],
  [3_598_000, "in 59 min 58 s"],
  [3_599_700, "in 1 h"],
  [5_400_000, "in 1 h 30 min"],
  [7_199_000, "in 2 h"],
  [-86_390_000, "1 d ago"],
  [86_400_000, "in 1 d"],
  [86_400_000 + 31 * 60_000, "in 1 d 1 h"],
  [-800 * 86_400_000, "2 y 70 d ago"],
])("a difference of %d ms is %s", (differenceMs, text) => {
  expect(relativeTime(differenceMs)).toBe(text);
});

test("a time is shown with the relative one beside it", () => {
  expect(timeBeside("2026-11-14T09:30:00.000Z", now)).toBe("2026-11-14T09:30:00.000Z (in 4 s)");
  expect(timeBeside(null, now)).toBe("-");
});

test("columns are as wide as their widest cell, colours not counted", () => {
  const { paint } = coloured;
  const rows = [
    ["A", "B"],
    [paint("red", "long"), "x"],
  ];
  expect(stripVTControlCharacters(alignedRows(rows))).toBe("A     B\nlong  x\n");
});

test("foreign text stays on its line and cannot control the terminal", () => {
  expect(onOneLine("a\nb\r\t\u001b[2J\u2028\u202e\u0000é😀")).toBe(
    "a\\nb\\r\\t\\u001b[2J\\u2028\\u202e\\u0000é😀",
  );
});

test("a shortened text never ends in half a character", () => {
  expect(shortened("abcdef", 6)).toBe("abcdef");
  expect(shortened("abcdefg", 6)).toBe("abcde…");
  expect(shortened("abcd😀fg", 6)).toBe("abcd…");
});

describe("a message", () => {
  test("shows only the facts that it has", () => {
    const card = messageCard(wireMessage(), plain);
    expect(card).toMatch(new RegExp(`^Message +${messageId}\nState +SCHEDULED\nTarget +billing\n`));
    expect(card).toMatch(/^Next delivery +2026-11-14T09:30:00\.000Z \(in 4 s\)$/m);
    expect(card).not.toMatch(/Cancelled|Dead|Kept|null/);
  });

  test("that has ended shows how long it is kept", () => {
    const ended = wireMessage({
      state: "DELIVERED",
      nextDeliveryTime: null,
      expirationTime: "2026-11-28T09:30:00.000Z",
    });
    expect(messageCard(ended, plain)).toMatch(
      /^Kept until +2026-11-28T09:30:00\.000Z \(in 14 d\)$/m,
    );
  });

  test("is coloured only on a terminal, and not with NO_COLOR", () => {
    expect(messageCard(wireMessage(), coloured)).toContain("\u001b[36mSCHEDULED");
    const terminal = { isTTY: true, write: () => {} };
    for (const paint of [
      paintFor(terminal, { NO_COLOR: "1" }),
      paintFor(terminal, { TERM: "dumb" }),
    ]) {
      expect(messageCard(wireMessage(), { ...plain, paint })).not.toContain("\u001b");
    }
  });

  test("in a list of dead letters has the time that orders the list, and the reason", () => {
    const dead = wireMessage({
      deadLetterTime: "2026-11-14T09:29:00.000Z",
      deliveryFailureCount: 4,
      deadLetterReason: "ATTEMPTS_EXHAUSTED",
    });
    expect(deadLetterRows([dead, wireMessage()], plain)).toBe(
      [
        "MESSAGE                         FAILURES  DEAD-LETTERED                        REASON",
        `${messageId}  4         2026-11-14T09:29:00.000Z (56 s ago)  no attempt was left`,
        `${messageId}  0         -                                    -`,
        "",
      ].join("\n"),
    );
  });

  test("shows the options that are set, and of headers only the names", () => {
    const card = messageCard(
      wireMessage({
        key: "digest\u001b",
        labels: { order: "17", region: "eu" },
        notAfter: "2026-11-14T09:30:56.000Z",
        headers: { "x-tenant": "set", authorization: "set" },
        contentType: "application/json",
        timeoutMs: 5_000,
        flexWindowMs: 600_000,
        retryPolicy: { ...wireTarget().retryPolicy, maxAttempts: 2, finalStatuses: [404] },
      }),
      plain,
    );
    const options = card.split("\n").slice(-12, -1);
    expect(options.map((line) => line.replace(/ {2,}/, ": "))).toEqual([
      "Key: digest\\u001b",
      "Not after: 2026-11-14T09:30:56.000Z (in 1 min)",
      "Spread over: 10 min",
      "Labels: order=17, region=eu",
      "Headers: x-tenant, authorization",
      "Content type: application/json",
      "Timeout: 5 s",
      "Attempts: at most 2",
      "Retries: after 5 s (up to 10 % sooner)",
      "No retry on: 404",
      "Retry-After: up to 1 h",
    ]);
    expect(card).not.toContain("set");
  });

  test.each([
    [{ deadLetterReason: "NOT_AFTER" }, "its not-after time came first"],
    [{ cancellationReason: "REPLACED" }, "another message took its place"],
    [{ deadLetterReason: "OF_A_NEWER_SERVICE" }, "OF_A_NEWER_SERVICE"],
  ])("that ended with %j says why", (ended, reason) => {
    const card = messageCard(wireMessage(ended as Partial<Message>), plain);
    expect(/^Reason +(.*)$/m.exec(card)?.[1]).toBe(reason);
  });
});

test("an attempt shows how long it took, and its error cannot break the line", () => {
  const attempt = {
    number: 1,
    startTime: "2026-11-14T09:29:00.000Z",
    endTime: "2026-11-14T09:29:00.012Z",
    outcome: "BAD_STATUS",
    statusCode: 503,
    error: "answered\n503",
    response: null,
  };
  const [, row] = attemptRows([attempt], plain).split("\n");
  expect(row).toMatch(/^1 .* 12 ms +BAD_STATUS +503 +answered\\n503$/);
});

test.each([
  [1, "none"],
  [3, "after 5 s, 5 min (up to 10 % sooner)"],
  [10, "after 5 s, 5 min, 5 min, 5 min, 5 min, 5 min, 5 min, 5 min, 5 min (up to 10 % sooner)"],
  [11, "after 5 s, 5 min, 5 min, 5 min, 5 min, 5 min, 5 min, 5 min, 5 min, … (up to 10 % sooner)"],
])("a target with %d attempts shows its delays", (maxAttempts, text) => {
  const { retryPolicy } = wireTarget();
  const card = targetCard(wireTarget({ retryPolicy: { ...retryPolicy, maxAttempts } }), plain);
  expect(/^Retries +(.*)$/m.exec(card)?.[1]).toBe(text);
});

test("a target's header values are never shown, its secret only if the answer has it", () => {
  expect(targetCard(wireTarget(), plain)).not.toMatch(/hidden|Secret/);
  expect(targetCard(wireTarget({ secret: "whsec_x" }), plain)).toMatch(/^Secret +whsec_x$/m);
});
