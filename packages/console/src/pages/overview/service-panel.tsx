import { useQuery } from "@tanstack/react-query";
import { nodesQuery, usageQuery } from "../../api/queries.ts";
import { useScopes } from "../../api/session.tsx";
import { Panel } from "../../presentation/panel.tsx";
import { Row, Rows } from "../../presentation/rows.tsx";
import { duration } from "../../time/time-text.ts";

/** The quota of the account, and the server's processes. */
export function ServicePanel() {
  const usage = useQuery(usageQuery());
  const { readNodes } = useScopes();
  const nodes = useQuery({ ...nodesQuery(), enabled: readNodes });
  return (
    <Panel title="Service">
      <Rows>
        {usage.data && (
          <Row side={usage.data.limit === null ? "no limit" : `of ${count(usage.data.limit)}`}>
            {count(usage.data.used)} messages scheduled in {usage.data.month}
          </Row>
        )}
        {nodes.data?.map(({ nodeId, role, inFlight, heartbeatAgeMs }) => (
          <Row key={nodeId} side={`${count(inFlight)} in flight`}>
            Node {nodeId} ({role}), seen {duration(heartbeatAgeMs)} ago
          </Row>
        ))}
      </Rows>
    </Panel>
  );
}

function count(value: number): string {
  return value.toLocaleString("en");
}
