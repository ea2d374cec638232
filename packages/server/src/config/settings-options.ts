import { Option } from "commander";
import { schema, settingNames } from "./schema.ts";
import type { Settings } from "./settings.ts";

/**
 * The settings as options of a command. The values stay text, so that `readSettings` can report all
 * mistakes at once, from the command line and from the environment.
 */
export function settingsOptions(
  defaultTexts: Partial<Record<keyof Settings, string>> = {},
  names: readonly (keyof Settings)[] = settingNames,
): Option[] {
  return names.flatMap((name) => {
    const { flag, env, kind, description, defaultText, repeatable } = schema[name];
    if (flag === null) return [];
    const shown = `${plain(description)} (${env}; default: ${defaultTexts[name] ?? defaultText})`;
    const option = new Option(`${flag} <${kind.placeholder}>`, shown);
    // Only for help and for the Tab key: `.choices` would end the command at the first mistake.
    if (kind.choices !== undefined) option.argChoices = [...kind.choices];
    if (repeatable)
      option.argParser((text: string, before?: string[]) => [...(before ?? []), text]);
    return [option];
  });
}

/** The values that commander parsed, by flag again. */
export function flagsOf(
  values: Readonly<Record<string, unknown>>,
): Record<string, string | string[]> {
  const flags: Record<string, string | string[]> = {};
  for (const option of settingsOptions()) {
    const value = values[option.attributeName()];
    if (option.long && value !== undefined) flags[option.long] = value as string | string[];
  }
  return flags;
}

function plain(markdown: string): string {
  return markdown.replaceAll("`", "");
}
