import type { Client } from "@postdate/client";
import { onOneLine } from "../terminal/aligned.ts";
import type { Look } from "../terminal/look.ts";
import { timeCell } from "../terminal/relative-time.ts";
import { tableOf } from "../terminal/table.ts";

export function clientRows(clients: readonly Client[], look: Look): string {
  const titles = ["CLIENT", "NAME", "CREATED", "SECRET MADE", "SCOPES"];
  const rows = clients.map((client) => [
    client.clientId,
    onOneLine(client.name),
    timeCell(client.creationTime, look.now),
    timeCell(client.secretTime, look.now),
    client.scopes.join(" "),
  ]);
  return tableOf({ titles, rows, shortenable: ["SCOPES", "NAME"] }, look);
}
