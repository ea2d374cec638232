import { SegmentedControl } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { postdate } from "../../api/postdate.ts";
import { usePages } from "../../api/use-pages.ts";
import { Page } from "../../presentation/page.tsx";
import { readSpan } from "../../time/span.ts";
import { AuditTable } from "./audit-table.tsx";

const spans = [
  { value: "1d", label: "1 day" },
  { value: "7d", label: "7 days" },
  { value: "30d", label: "30 days" },
  { value: "all", label: "All" },
];

/** Who changed what in this account. */
export default function AuditPage() {
  const { since = "7d" } = useSearch({ from: "/audit" });
  const navigate = useNavigate();
  // The span counts from the first page on, also when later pages are read.
  const query = useMemo(() => queryFor(since, Date.now), [since]);
  const found = usePages({
    queryKey: ["audit", since],
    list: (page, options) => postdate.auditLog({ ...query, ...page }, options),
  });
  return (
    <Page
      title="Audit log"
      actions={
        <SegmentedControl
          size="xs"
          aria-label="How far back"
          data={spans}
          value={since}
          onChange={(chosen) =>
            void navigate({
              to: "/audit",
              search: (old) => ({ ...old, since: chosen }),
              replace: true,
            })
          }
        />
      }
    >
      <AuditTable found={found} />
    </Page>
  );
}

function queryFor(since: string, clock: () => number): { minTime?: Date } {
  const spanMs = readSpan(since);
  return spanMs === undefined ? {} : { minTime: new Date(clock() - spanMs) };
}
