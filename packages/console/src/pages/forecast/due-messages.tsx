import { useQueries, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { postdate } from "../../api/postdate.ts";
import { targetPageQuery } from "../../api/queries.ts";
import { useScopes } from "../../api/session.tsx";
import { Row, Rows } from "../../presentation/rows.tsx";

interface DueMessagesProps {
  readonly from: number;
  readonly until: number;
  readonly targetId: string | undefined;
}

/** So many targets are asked for what is due: each is a request. */
const mostTargets = 20;
const counted = 100;

/** Which targets the messages of an hour are for, each a way to its list. */
export function DueMessages({ from, until, targetId }: DueMessagesProps) {
  const { readAll } = useScopes();
  const targets = useQuery({ ...targetPageQuery(), enabled: readAll && targetId === undefined });
  const ids =
    targetId === undefined
      ? (targets.data?.items ?? []).slice(0, mostTargets).map((target) => target.targetId)
      : [targetId];
  const range = { minTime: new Date(from), maxTime: new Date(until - 1) };
  const lists = useQueries({
    queries: ids.map((id) => ({
      queryKey: ["due", id, from, until],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        postdate.targets.scheduled(id, { ...range, limit: counted }, { signal }).page(),
    })),
  });
  const q = (id: string): string =>
    `target:${id} due:${range.minTime.toISOString()}..${range.maxTime.toISOString()}`;
  return (
    <Rows>
      {lists.map(({ data }, index) => {
        const id = ids[index]!;
        if (data === undefined || data.count === 0) return null;
        const side = `${data.count}${data.nextPageToken === null ? "" : "+"} due`;
        return (
          <Row key={id} side={side}>
            <Link to="/messages" search={{ q: q(id) }}>
              {id}
            </Link>
          </Row>
        );
      })}
    </Rows>
  );
}
