import type { WireClient } from "../wire.ts";
import { onOneLine } from "./aligned.ts";
import type { Look } from "./look.ts";
import { timeBeside } from "./relative-time.ts";
import { tableOf } from "./table.ts";

export function clientRows(clients: readonly WireClient[], look: Look): string {
  const titles = ["CLIENT", "NAME", "CREATED", "SECRET MADE", "SCOPES"];
  const rows = clients.map((client) => [
    client.clientId,
    onOneLine(client.name),
    timeBeside(client.creationTime, look.now),
    timeBeside(client.secretTime, look.now),
    client.scopes.join(" "),
  ]);
  return tableOf({ titles, rows, shortenable: ["SCOPES", "NAME"] }, look);
}
