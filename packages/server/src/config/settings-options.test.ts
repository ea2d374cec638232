import { Command } from "commander";
import { expect, test } from "vitest";
import { schema, settingNames } from "./schema.ts";
import { flagsOf, settingsOptions } from "./settings-options.ts";

function parse(...argv: string[]): Record<string, unknown> {
  const command = new Command().exitOverride();
  for (const option of settingsOptions()) command.addOption(option);
  return command.parse(argv, { from: "user" }).opts();
}

test("every setting with a flag is an option, and secrets without one are not", () => {
  const flags = settingNames.map((name) => schema[name].flag).filter((flag) => flag !== null);
  expect(settingsOptions().map((option) => option.long)).toEqual(flags);
  expect(flags).not.toContain("--root-key");
});

test("values come back by flag, unchanged, repeated ones as a list", () => {
  const argv = ["--port", "abc", "--allow-cidr", "a,b", "--allow-cidr", "c", "--data-dir", "./x"];
  expect(flagsOf(parse(...argv))).toEqual({
    "--port": "abc",
    "--allow-cidr": ["a,b", "c"],
    "--data-dir": "./x",
  });
  expect(flagsOf(parse())).toEqual({});
});
