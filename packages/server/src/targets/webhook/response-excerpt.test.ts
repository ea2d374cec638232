import { describe, expect, test } from "vitest";
import { ResponseExcerpt, textsToHide } from "./response-excerpt.ts";

function excerptOf(...chunks: readonly (string | Uint8Array)[]): string | null {
  const excerpt = new ResponseExcerpt([]);
  for (const chunk of chunks) excerpt.add(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
  return excerpt.text();
}

test("an empty body gives null", () => {
  expect(excerptOf()).toBeNull();
  expect(excerptOf("")).toBeNull();
});

test("joins chunks, even if one ends inside a character", () => {
  const bytes = Buffer.from("a😀b");
  expect(excerptOf(bytes.subarray(0, 3), bytes.subarray(3))).toBe("a😀b");
});

test("keeps 1,024 bytes without a partial character", () => {
  expect(excerptOf("x".repeat(1_024))).toBe("x".repeat(1_024));
  expect(excerptOf("x".repeat(1_000), "x".repeat(1_000))).toBe("x".repeat(1_024));
  expect(excerptOf(`${"x".repeat(1_022)}😀`)).toBe("x".repeat(1_022));
});

test("replaces control characters except line feeds and tabs", () => {
  expect(excerptOf("a\u0000b\u001b[31mc\u007f\u0085d\n\te")).toBe(
    "a\ufffdb\ufffd[31mc\ufffd\ufffdd\n\te",
  );
});

test("decodes bytes that are not UTF-8 as far as possible", () => {
  expect(excerptOf(Uint8Array.of(0x61, 0xff, 0x62))).toBe("a\ufffdb");
});

describe("the target's own headers, when a receiver echoes them", () => {
  const hiding = (headers: Readonly<Record<string, string>>, body: string): string | null => {
    const excerpt = new ResponseExcerpt(textsToHide(headers));
    excerpt.add(Buffer.from(body));
    return excerpt.text();
  };

  test("all occurrences of a value are blanked out, except of short values", () => {
    expect(
      hiding({ "x-key": "TOPSECRET1", "x-shop": "berlin" }, "TOPSECRET1 for berlin: TOPSECRET1!"),
    ).toBe("[header value] for berlin: [header value]!");
    expect(hiding({ "x-key": "1234567" }, "1234567")).toBe("1234567");
    expect(hiding({ "x-key": "12345678" }, "12345678")).toBe("[header value]");
  });

  test("a credential is blanked out even without its scheme", () => {
    const headers = { authorization: "Bearer TOPSECRET1" };
    expect(hiding(headers, "no such token: TOPSECRET1")).toBe("no such token: [header value]");
    expect(hiding(headers, "you sent Bearer TOPSECRET1.")).toBe("you sent [header value].");
  });

  test("if one value contains another, the longer one is blanked out first", () => {
    const headers = { "x-a": "SECRET-1", "x-b": "SECRET-1-AND-MORE" };
    expect(hiding(headers, "SECRET-1-AND-MORE, SECRET-1")).toBe("[header value], [header value]");
  });

  test("a value is found as JSON writes it", () => {
    const value = 'say "friend"\\enter';
    expect(hiding({ "x-key": value }, JSON.stringify({ value }))).toBe(
      '{"value":"[header value]"}',
    );
  });

  test("the beginning of a value that was cut off is blanked out too", () => {
    const secret = "TOPSECRET-0123456789";
    for (const shown of [8, 12, 19]) {
      const filler = "x".repeat(1_024 - shown);
      expect(hiding({ "x-key": secret }, filler + secret)).not.toContain("TOPSECRE");
    }
  });

  test("the excerpt is no longer than any other", () => {
    expect(hiding({ "x-key": "12345678" }, "12345678".repeat(200))).toHaveLength(1_024);
  });
});
