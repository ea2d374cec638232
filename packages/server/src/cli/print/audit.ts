import type { AuditEntry, OperatorAuditEntry } from "@postdate/client";
import { onOneLine } from "../terminal/aligned.ts";
import type { Look } from "../terminal/look.ts";
import { timeCell } from "../terminal/relative-time.ts";
import { tableOf } from "../terminal/table.ts";

/** Only the operator's view has the account. */
type ShownEntry = AuditEntry & Partial<OperatorAuditEntry>;

export function auditRows(entries: readonly ShownEntry[], look: Look): string {
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
export function actorText({ kind, id }: AuditEntry["actor"]): string {
  return kind === "subject" ? `${kind} ${id}` : id;
}

function detailText(detail: AuditEntry["detail"]): string {
  const parts = Object.entries(detail).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return parts.length === 0 ? "-" : parts.join(" ");
}
