import { useQuery } from "@tanstack/react-query";
import { nodesQuery } from "../../api/queries.ts";
import { Page } from "../../presentation/page.tsx";
import { ProblemNote } from "../../presentation/problem-note.tsx";
import { Reading } from "../../presentation/reading.tsx";
import { Table } from "../../presentation/table.tsx";
import { duration } from "../../time/time-text.ts";
import { Time } from "../../time/time.tsx";

const roles = { all: "everything", api: "answers requests", dispatch: "delivers" } as const;

/** The server's processes that are alive and work on the store. */
export default function NodesPage() {
  const { data, error, isPending, refetch } = useQuery(nodesQuery());
  return (
    <Page title="Nodes">
      {error && <ProblemNote error={error} onRetry={() => void refetch()} />}
      {isPending && <Reading />}
      {data && (
        <Table
          label="Nodes"
          items={data}
          keyOf={({ nodeId }) => nodeId}
          columns={[
            { name: "Node", show: ({ nodeId }) => <code>{nodeId}</code> },
            { name: "Does", show: ({ role }) => roles[role] },
            {
              name: "In flight",
              show: (node) => node.inFlight.toLocaleString("en"),
              isAtRight: true,
            },
            { name: "Seen", show: ({ heartbeatAgeMs }) => `${duration(heartbeatAgeMs)} ago` },
            { name: "Joined", show: ({ joinTime }) => <Time at={joinTime} isRelative /> },
          ]}
        />
      )}
    </Page>
  );
}
