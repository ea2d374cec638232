import { expect, test } from "vitest";
import { inertText } from "./inert-text.ts";

test("control characters and marks of direction are written out", () => {
  expect(inertText("a\u001b[31mred\u202egnp.exe\u0000")).toBe(
    "a\\u001b[31mred\\u202egnp.exe\\u0000",
  );
});

test("everything else stays, with lines and tabs", () => {
  const text = "<b>ünï</b>\n\t日本語 שלום 🎉 &amp; ${x}";
  expect(inertText(text)).toBe(text);
});

test("so are characters that nobody sees, and halves of characters", () => {
  expect(inertText("pay\u200bpal \u00ad\u{e0041}\ud83c\u3164")).toBe(
    "pay\\u200bpal \\u00ad\\u{e0041}\\ud83c\\u3164",
  );
});
