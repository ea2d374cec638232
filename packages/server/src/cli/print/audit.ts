import type { WireAuditEntry } from "../connection/wire.ts";
import { onOneLine } from "../terminal/aligned.ts";
import type { Look } from "../terminal/look.ts";
import { timeCell } from "../terminal/relative-time.ts";
import { tableOf } from "../terminal/table.ts";

export function auditRows(entries: readonly WireAuditEntry[], look: Look): string {
  // Only the operator's view names the account of an entry.
  const withAccount = entries.some(({ accountId }) => accountId !== undefined);
  const account = (cell: string): string[] => (withAccount ? [cell] : []);
  const titles = ["TIME", "WHO", "DID", "TO", ...account("ACCOUNT"), "DETAIL"];
  const rows = entries.map((entry) => [
    timeCell(entry.time, look.now),
    onOneLine(actorText(entry.actor)),
    entry.action,
    onOneLine(entry.subjectId),
    ...account(entry.accountId ?? "-"),
    onOneLine(detailText(entry.detail)),
  ]);
  return tableOf({ titles, rows, shortenable: ["DETAIL", "WHO"] }, look);
}

/** There is only one service and one operator, so they need no id. */
function actorText({ kind, id }: WireAuditEntry["actor"]): string {
  return kind === "subject" ? `${kind} ${id}` : id;
}

function detailText(detail: WireAuditEntry["detail"]): string {
  const parts = Object.entries(detail).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return parts.length === 0 ? "-" : parts.join(" ");
}
