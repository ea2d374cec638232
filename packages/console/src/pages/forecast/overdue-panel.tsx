import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { targetStatsQuery } from "../../api/queries.ts";
import { useScopes } from "../../api/session.tsx";
import { amount } from "../../presentation/amount.ts";
import { Panel } from "../../presentation/panel.tsx";
import { ProblemNote } from "../../presentation/problem-note.tsx";
import { Reading } from "../../presentation/reading.tsx";
import { Row, Rows } from "../../presentation/rows.tsx";

/** Which targets have messages whose time has come, each a way to its list. The API lists them by target alone. */
export function OverduePanel({ targetId }: { readonly targetId: string | undefined }) {
  const { readAll } = useScopes();
  const stats = useQuery({ ...targetStatsQuery(), enabled: readAll });
  const { data, error, isLoading, refetch } = stats;
  const late = [...(data?.found.values() ?? [])].filter(
    (target) =>
      (targetId === undefined || target.targetId === targetId) &&
      (target.waiting.value > 0 || target.inFlight > 0),
  );
  const q = (id: string): string =>
    `target:${id} due:..${new Date(stats.dataUpdatedAt).toISOString()}`;
  return (
    <Panel title="Overdue">
      {error && <ProblemNote error={error} onRetry={() => void refetch()} />}
      {isLoading && <Reading height={40} />}
      {!readAll && (
        <Text size="sm">
          It takes a key with the scope scheduler.all.read to see which targets they are for.
        </Text>
      )}
      {data && late.length === 0 && <Text size="sm">Nothing is overdue.</Text>}
      <Rows>
        {late.map(({ targetId: id, waiting, inFlight }) => (
          <Row
            key={id}
            side={`${amount(waiting)} waiting, ${inFlight.toLocaleString("en")} in flight`}
          >
            <Link to="/messages" search={{ q: q(id) }}>
              {id}
            </Link>
          </Row>
        ))}
      </Rows>
      {data?.isWhole === false && (
        <Text size="sm" c="dimmed">
          Only the first {data.found.size.toLocaleString("en")} targets were looked at.
        </Text>
      )}
    </Panel>
  );
}
