import { onOneLine } from "../terminal/aligned.ts";
import type { Look } from "../terminal/look.ts";
import { tableOf } from "../terminal/table.ts";

export interface ListedProfile {
  readonly name: string;
  readonly url: string;
  readonly keys: readonly string[];
  /** Commands use it if nothing names another one. */
  readonly isCurrent: boolean;
}

export function profileRows(profiles: readonly ListedProfile[], look: Look): string {
  const rows = profiles.map(({ name, url, keys, isCurrent }) => [
    onOneLine(name),
    isCurrent ? look.paint("green", "current") : "-",
    keys.join(", ") || "-",
    onOneLine(url),
  ]);
  return tableOf({ titles: ["PROFILE", "STATE", "KEYS", "URL"], rows, shortenable: ["URL"] }, look);
}
