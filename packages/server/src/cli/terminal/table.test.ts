import { expect, test } from "vitest";
import { paintFor } from "./colours.ts";
import { wireTarget } from "../testing/samples.ts";
import { connected } from "../testing/connected-terminal.ts";
import { cutToWidth, displayWidth } from "./display-width.ts";
import { durationText } from "./duration-text.ts";
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
  const [, tiny] = tableOf(table, { ...look, columns: 20 }).split("\n");
  expect(tiny).toBe("target_0123456789  …");
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
