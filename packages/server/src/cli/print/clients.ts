import type { WireClient } from "../wire.ts";
import { alignedRows, onOneLine } from "./aligned.ts";
import type { Look } from "./messages.ts";
import { timeBeside } from "./relative-time.ts";

export function clientRows(clients: readonly WireClient[], { paint, now }: Look): string {
  return alignedRows([
    ["CLIENT", "NAME", "CREATED", "SECRET MADE", "SCOPES"].map((cell) => paint("bold", cell)),
    ...clients.map((client) => [
      client.clientId,
      onOneLine(client.name),
      timeBeside(client.creationTime, now),
      timeBeside(client.secretTime, now),
      client.scopes.join(" "),
    ]),
  ]);
}
