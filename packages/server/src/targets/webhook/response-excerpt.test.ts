import { expect, test } from "vitest";
import { ResponseExcerpt } from "./response-excerpt.ts";

function excerptOf(...chunks: readonly (string | Uint8Array)[]): string | null {
  const excerpt = new ResponseExcerpt();
  for (const chunk of chunks) excerpt.add(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
  return excerpt.text();
}

test("nothing is null", () => {
  expect(excerptOf()).toBeNull();
  expect(excerptOf("")).toBeNull();
});

test("joins chunks, also inside a character", () => {
  const bytes = Buffer.from("a😀b");
  expect(excerptOf(bytes.subarray(0, 3), bytes.subarray(3))).toBe("a😀b");
});

test("keeps 1,024 bytes and no half character", () => {
  expect(excerptOf("x".repeat(1_024))).toBe("x".repeat(1_024));
  expect(excerptOf("x".repeat(1_000), "x".repeat(1_000))).toBe("x".repeat(1_024));
  expect(excerptOf(`${"x".repeat(1_022)}😀`)).toBe("x".repeat(1_022));
});

test("replaces control characters, save for line feeds and tabs", () => {
  expect(excerptOf("a\u0000b\u001b[31mc\u007f\u0085d\n\te")).toBe(
    "a\ufffdb\ufffd[31mc\ufffd\ufffdd\n\te",
  );
});

test("decodes what is not UTF-8 as far as it goes", () => {
  expect(excerptOf(Uint8Array.of(0x61, 0xff, 0x62))).toBe("a\ufffdb");
});
