import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { schema, settingNames } from "../../config/schema.ts";
import { chartSettings, withChartSettings } from "./chart-settings.ts";

const page = join(import.meta.dirname, "../../../../../deploy/helm/postdate/values.schema.json");

test("the chart's values.schema.json has today's settings (npm run docs:reference writes them)", () => {
  const text = readFileSync(page, "utf8");
  expect(withChartSettings(text)).toBe(text);
  expect(withChartSettings(text.replace("POSTDATE_RETENTION", "POSTDATE_RETENSION"))).toBe(text);
});

test("no secret can be given to the chart as a value", () => {
  const secrets = settingNames
    .filter((name) => schema[name].secret)
    .map((name) => schema[name].env);
  expect(secrets).toContain("POSTDATE_DATABASE_URL");
  expect(Object.keys(chartSettings())).not.toEqual(
    expect.arrayContaining([expect.stringMatching(new RegExp(`^(${secrets.join("|")})$`))]),
  );
});

test("every default that is written out fits what the schema allows", () => {
  const described = chartSettings();
  const checked = settingNames.filter((name) => {
    const { env, default: value, defaultText } = schema[name];
    const { pattern, enum: choices } = described[env] ?? {};
    if (value === null || Array.isArray(value)) return false;
    if (pattern !== undefined) expect(defaultText, env).toMatch(new RegExp(pattern));
    if (choices !== undefined) expect(choices, env).toContain(defaultText);
    return pattern !== undefined || choices !== undefined;
  });
  expect(checked.length).toBeGreaterThan(10);
});
