import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useScopes } from "../../api/session.tsx";
import { Reading } from "../../presentation/reading.tsx";
import { Row, Rows } from "../../presentation/rows.tsx";
import { findDueTargets, mostTargets } from "./due-targets.ts";

interface DueMessagesProps {
  readonly from: number;
  readonly until: number;
  readonly targetId: string | undefined;
  /** How many messages are due: once they are found, no further target is asked. */
  readonly messages: number;
}

/** Which targets the messages of an hour are for, each a way to its list. */
export function DueMessages({ from, until, targetId, messages }: DueMessagesProps) {
  const { readAll } = useScopes();
  const range = { minTime: new Date(from), maxTime: new Date(until - 1) };
  const found = useQuery({
    queryKey: ["due targets", targetId, from, until, messages],
    queryFn: ({ signal }) => findDueTargets({ range, targetId, messages }, signal),
    enabled: readAll || targetId !== undefined,
  });
  const q = (id: string): string =>
    `target:${id} due:${range.minTime.toISOString()}..${range.maxTime.toISOString()}`;
  if (found.isLoading) return <Reading height={40} />;
  return (
    <>
      <Rows>
        {found.data?.targets.map(({ targetId: id, count, isMore }) => (
          <Row key={id} side={`${count}${isMore ? "+" : ""} due`}>
            <Link to="/messages" search={{ q: q(id) }}>
              {id}
            </Link>
          </Row>
        ))}
      </Rows>
      {found.data?.isWhole === false && (
        <Text size="sm" c="dimmed">
          Only the first {mostTargets} targets were looked at. Name another one above to see its
          messages.
        </Text>
      )}
    </>
  );
}
