import type { AuditEntry } from "@postdate/client";
import type { Pages } from "../../api/use-pages.ts";
import { inertText } from "../../presentation/inert-text.ts";
import { PagedTable } from "../../presentation/paged-table.tsx";
import type { Column } from "../../presentation/table.tsx";
import { Time } from "../../time/time.tsx";
import styles from "./audit.module.css";

interface AuditTableProps<Entry extends AuditEntry> {
  readonly found: Pages<Entry>;
  readonly columns?: readonly Column<Entry>[];
}

/** Who did what to what, the newest first. */
export function AuditTable<Entry extends AuditEntry>(props: AuditTableProps<Entry>) {
  const { found, columns = [] } = props;
  return (
    <PagedTable
      found={found}
      label="Audit log"
      keyOf={({ entryId }) => entryId}
      ifEmpty="Nothing has been changed in this time."
      columns={[
        { name: "Time", show: ({ time }) => <Time at={time} /> },
        ...columns,
        { name: "Who", isWhole: true, show: ({ actor }) => inertText(`${actor.kind} ${actor.id}`) },
        { name: "What", show: ({ action }) => <code>{action}</code> },
        { name: "Of", show: ({ subjectId }) => inertText(subjectId) },
        { name: "Details", show: (entry) => <Details entry={entry} /> },
      ]}
    />
  );
}

function Details({ entry: { detail, requestId } }: { readonly entry: AuditEntry }) {
  const pairs = Object.entries(detail).map(
    ([name, value]) => `${name}: ${Array.isArray(value) ? value.join(", ") : String(value)}`,
  );
  const shown = requestId === null ? pairs : [...pairs, `request ${requestId}`];
  return <span className={styles["details"]}>{inertText(shown.join(" · "))}</span>;
}
