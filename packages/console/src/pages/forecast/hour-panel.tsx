import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { postdate } from "../../api/postdate.ts";
import { ForecastBars } from "../../charts/forecast-bars.tsx";
import { Panel } from "../../presentation/panel.tsx";
import { ProblemNote } from "../../presentation/problem-note.tsx";
import { Reading } from "../../presentation/reading.tsx";
import type { HourOfDay } from "./days-of-hours.ts";
import { DueMessages } from "./due-messages.tsx";

interface HourPanelProps {
  readonly hour: HourOfDay;
  readonly targetId: string | undefined;
}

/** The minutes of an hour, and the messages that are due in it. */
export function HourPanel({ hour, targetId }: HourPanelProps) {
  const { from, until, label } = hour;
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ["minutes", targetId, from, until],
    queryFn: ({ signal }) =>
      postdate.stats.forecast(
        {
          ...(targetId !== undefined && { targetId }),
          minTime: new Date(from),
          // The last millisecond of the hour: the bucket of its end is not asked for.
          maxTime: new Date(until - 1),
          bucket: "minute",
        },
        { signal },
      ),
  });
  const sum = data?.items.reduce((all, { messages }) => all + messages, 0);
  const runs = data?.items.reduce((all, item) => all + item.runs, 0);
  return (
    <Panel
      title={`The hour of ${label}`}
      aside={
        sum !== undefined &&
        `${sum.toLocaleString("en")} due, ${runs!.toLocaleString("en")} runs of schedules`
      }
    >
      {error && <ProblemNote error={error} onRetry={() => void refetch()} />}
      {isPending && <Reading height={120} />}
      {data && <ForecastBars forecast={data} span="this hour" />}
      {sum === 0 && runs === 0 && (
        <Text size="sm" c="dimmed">
          Nothing is due in it.
        </Text>
      )}
      {sum !== undefined && sum > 0 && (
        <DueMessages from={from} until={until} targetId={targetId} messages={sum} />
      )}
    </Panel>
  );
}
