import type { WireSigningKey } from "../wire.ts";
import type { Look } from "./look.ts";
import { timeBeside } from "./relative-time.ts";
import { tableOf } from "./table.ts";

export function signingKeyRows(keys: readonly WireSigningKey[], look: Look): string {
  const rows = keys.map((key) => [
    key.keyId,
    key.state === "SIGNING" ? look.paint("green", key.state) : key.state,
    timeBeside(key.creationTime, look.now),
  ]);
  return tableOf({ titles: ["KEY", "STATE", "CREATED"], rows }, look);
}
