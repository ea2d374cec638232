import type { WireAuditEntry } from "../wire.ts";
import { alignedRows, onOneLine } from "./aligned.ts";
import type { Look } from "./messages.ts";
import { timeBeside } from "./relative-time.ts";

export function auditRows(entries: readonly WireAuditEntry[], { paint, now }: Look): string {
  // Only the operator's view says whose an entry is.
  const withAccount = entries.some(({ accountId }) => accountId !== undefined);
  const account = (cell: string): string[] => (withAccount ? [cell] : []);
  return alignedRows([
    ["TIME", "WHO", "DID", "TO", ...account("ACCOUNT"), "DETAIL"].map((cell) =>
      paint("bold", cell),
    ),
    ...entries.map((entry) => [
      timeBeside(entry.time, now),
      onOneLine(actorText(entry.actor)),
      entry.action,
      onOneLine(entry.subjectId),
      ...account(entry.accountId ?? "-"),
      onOneLine(detailText(entry.detail)),
    ]),
  ]);
}

/** The service and the operator are one of a kind each. */
function actorText({ kind, id }: WireAuditEntry["actor"]): string {
  return kind === "subject" ? `${kind} ${id}` : id;
}

function detailText(detail: WireAuditEntry["detail"]): string {
  const parts = Object.entries(detail).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return parts.length === 0 ? "-" : parts.join(" ");
}
