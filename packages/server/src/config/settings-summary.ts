import { formatDuration } from "./durations.ts";
import { schema, settingNames } from "./schema.ts";
import type { Settings } from "./settings.ts";

/**
 * The settings for the start-up log. Durations are readable; for a secret it says only whether it is
 * set.
 */
export function settingsSummary(settings: Settings): Record<string, unknown> {
  const summary: Record<string, unknown> = {};
  for (const name of settingNames) {
    const value = settings[name];
    if (schema[name].secret) summary[name] = isGiven(value) ? "set" : "not set";
    else if (name.endsWith("Ms")) summary[name.slice(0, -2)] = formatDuration(Number(value));
    else summary[name] = value;
  }
  return summary;
}

function isGiven(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== null;
}
