import type { Settings } from "../../config/settings.ts";

/**
 * At which level a start tells its settings, and what it enters into the audit log. A person at a terminal is told what matters by the command
 * itself, and thirty settings would push the root key out of sight; a log that is kept has them all.
 */
export function startLevel(
  { logFormat }: Pick<Settings, "logFormat">,
  { isTTY }: { readonly isTTY?: boolean },
): "info" | "debug" {
  const isForPeople = logFormat === "pretty" || (logFormat === "auto" && isTTY === true);
  return isForPeople ? "debug" : "info";
}
