import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { configurationReference } from "./configuration-reference.ts";
import { parseDuration } from "./durations.ts";
import { schema, settingNames } from "./schema.ts";

const page = new URL("../../../../docs/reference/configuration.md", import.meta.url);

test("the page matches the schema; `npm run docs:reference` writes it", () => {
  expect(readFileSync(page, "utf8")).toBe(configurationReference());
});

test("every default that is written out reads back as the default", () => {
  for (const name of settingNames) {
    const { defaultText, default: value, kind } = schema[name];
    if (value === null || Array.isArray(value)) continue;
    expect(kind.read(defaultText)).toEqual(value);
    if (name.endsWith("Ms")) expect(parseDuration(defaultText)).toBe(value);
  }
});

test("every link in the table leads to a heading", () => {
  const text = configurationReference();
  const anchors = [...text.matchAll(/^## (.*)$/gm)].map(([, title]) =>
    title!.toLowerCase().replaceAll(" ", "-"),
  );
  const links = [...text.matchAll(/\(#([^)]*)\)/g)].map(([, anchor]) => anchor);
  expect(links).toEqual(anchors);
  expect(links).toHaveLength(settingNames.length);
});
