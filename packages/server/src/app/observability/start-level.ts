import type { Settings } from "../../config/settings.ts";

/**
 * The log level of the settings and the audit entries of a start. At a terminal, the command itself
 * shows what matters, and thirty settings would push the root key out of sight. A log that is kept has
 * them all.
 */
export function startLevel(
  { logFormat }: Pick<Settings, "logFormat">,
  { isTTY }: { readonly isTTY?: boolean },
): "info" | "debug" {
  const isForPeople = logFormat === "pretty" || (logFormat === "auto" && isTTY === true);
  return isForPeople ? "debug" : "info";
}
