import type { WireSigningKey } from "../wire.ts";
import { alignedRows } from "./aligned.ts";
import type { Look } from "./messages.ts";
import { timeBeside } from "./relative-time.ts";

export function signingKeyRows(keys: readonly WireSigningKey[], { paint, now }: Look): string {
  return alignedRows([
    ["KEY", "STATE", "CREATED"].map((cell) => paint("bold", cell)),
    ...keys.map((key) => [
      key.keyId,
      key.state === "SIGNING" ? paint("green", key.state) : key.state,
      timeBeside(key.creationTime, now),
    ]),
  ]);
}
