import type { SigningKey } from "@postdate/client";
import type { Look } from "../terminal/look.ts";
import { timeCell } from "../terminal/relative-time.ts";
import { tableOf } from "../terminal/table.ts";

export function signingKeyRows(keys: readonly SigningKey[], look: Look): string {
  const rows = keys.map((key) => [
    key.keyId,
    key.state === "SIGNING" ? look.paint("green", key.state) : key.state,
    timeCell(key.creationTime, look.now),
  ]);
  return tableOf({ titles: ["KEY", "STATE", "CREATED"], rows }, look);
}
