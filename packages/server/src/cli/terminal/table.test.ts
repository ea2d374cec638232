import { expect, test } from "vitest";
import { paintFor } from "./colours.ts";
import { wireTarget } from "../testing/samples.ts";
import { connected } from "../testing/connected-terminal.ts";
import { cutToWidth, displayWidth } from "./display-width.ts";
import { durationText } from "./duration-text.ts";
import { timeCell } from "./relative-time.ts";
import { tableOf } from "./table.ts";

const paint = paintFor({ isTTY: true, write: () => {} }, {});
const plain = paintFor({ write: () => {} }, {});
const table = {
  titles: ["ID", "NOTE", "URL"],
  rows: [["target_0123456789", "n".repeat(30), "https://example.com/a/very/long/path"]],
  shortenable: ["URL", "NOTE"],
};

test("a table is cut to the width of its terminal, the least important columns first", () => {
  const look = { paint: plain, now: 0, columns: 70 };
  expect(tableOf(table, look)).toBe(
    `ID                 NOTE                            URL\ntarget_0123456789  ${"n".repeat(30)}  https://example.co…\n`,
  );
  const [, row] = tableOf(table, { ...look, columns: 50 }).split("\n");
  expect(row).toBe(`target_0123456789  ${"n".repeat(16)}…  https://exa…`);
});

test("if cutting is not enough, each row is a card", () => {
  const twice = {
    ...table,
    rows: [...table.rows, ["b", "n", "u"]],
    notes: ["   a note that is too long", null],
  };
  const look = { paint: plain, now: 0, columns: 24 };
  const cards = `ID    target_0123456789
NOTE  ${"n".repeat(17)}…
URL   https://example.c…
   a note that is too l…

ID    b
NOTE  n
URL   u
`;
  expect(tableOf(twice, look)).toBe(cards);
  expect(tableOf(twice, { ...look, isContinued: true })).toBe(`\n${cards}`);
});

test("before anything is cut to little, cells say less", () => {
  const when = timeCell("2026-11-14T09:30:00.000Z", Date.UTC(2026, 10, 14, 10));
  const timed = { titles: ["WHEN", "NOTE"], rows: [[when, "n".repeat(40)]], shortenable: ["NOTE"] };
  const row = (columns: number | null): string =>
    tableOf(timed, { paint: plain, now: 0, columns }).split("\n")[1]!;
  expect(row(null)).toBe(`2026-11-14T09:30:00.000Z (30 min ago)  ${"n".repeat(40)}`);
  expect(row(70)).toBe(`2026-11-14T09:30:00.000Z (30 min ago)  ${"n".repeat(30)}…`);
  expect(row(60)).toBe(`2026-11-14T09:30:00Z  ${"n".repeat(37)}…`);
  expect(row(50)).toBe(`30 min ago  ${"n".repeat(37)}…`);
  expect(row(26)).toBe(`30 min ago  ${"n".repeat(13)}…`);
});

test("a table that goes on has no second heading", () => {
  const look = { paint: plain, now: 0, columns: 200, isContinued: true };
  expect(tableOf(table, look)).toMatch(/^target_0123456789 .*\n$/);
});

test("a table in a pipe is never cut", () => {
  expect(tableOf(table, { paint: plain, now: 0, columns: null })).toContain("a/very/long/path\n");
});

test("lists fit the terminal, and are complete in a pipe", async () => {
  const json = { items: [wireTarget({ url: `https://example.com/${"x".repeat(200)}` })] };
  const terminal = await connected(() => ({ json }), {}, 60);
  await terminal.run("target", "list");
  for (const line of terminal.stdout.text.split("\n")) expect(displayWidth(line)).toBeLessThan(61);
  expect(terminal.stdout.text).toContain("…");
  const pipe = await connected(() => ({ json }));
  await pipe.run("target", "list");
  expect(pipe.stdout.text).toContain("x".repeat(200));
});

test("a cut colour is ended", () => {
  expect(cutToWidth(paint("red", "abcdef"), 4)).toBe(paint("red", "abc…"));
  expect(cutToWidth(`${paint("red", "ab")}cdef`, 4)).toBe(`${paint("red", "ab")}c…`);
  expect(cutToWidth("abcd", 4)).toBe("abcd");
});

test("the width counts terminal columns", () => {
  expect(displayWidth("日本")).toBe(4);
  expect(displayWidth("e\u0301a")).toBe(2);
  expect(displayWidth("👩‍👩‍👧")).toBe(2);
  expect(displayWidth(paint("green", "ok"))).toBe(2);
  expect(cutToWidth("日本語", 4)).toBe("日…");
});

test.each([
  [0, "0 ms"],
  [62, "62 ms"],
  [999.7, "1 s"],
  [1_500, "1.5 s"],
  [3_062, "3.06 s"],
  [59_994, "59.99 s"],
  [59_996, "1 min"],
  [90_000, "1 min 30 s"],
  [3_600_000, "1 h"],
  [129_600_000, "1 d 12 h"],
])("%d ms is shown as %s", (durationMs, text) => {
  expect(durationText(durationMs)).toBe(text);
});
