import { Button, Text } from "@mantine/core";
import type { Schedule } from "@postdate/client";
import { useQuery } from "@tanstack/react-query";
import { postdate } from "../../api/postdate.ts";
import { scheduleQuery } from "../../api/queries.ts";
import { useScopes } from "../../api/session.tsx";
import { useChange } from "../../api/use-change.ts";
import { ProblemNote } from "../../presentation/problem-note.tsx";
import { Reading } from "../../presentation/reading.tsx";
import { previewOf } from "./coming-runs.ts";
import { OccurrenceTable } from "./occurrence-table.tsx";

const shown = 12;

/** The next runs, each of which can be skipped. */
export function ComingTab({ schedule }: { readonly schedule: Schedule }) {
  const { scheduleId, revision, skips, timeZone, nextRunTime } = schedule;
  const { writeAll } = useScopes();
  const preview = previewOf(schedule);
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ["coming", scheduleId, revision, nextRunTime],
    queryFn: ({ signal }) =>
      postdate.schedules.preview({ ...preview, count: shown + skips.length }, { signal }),
    enabled: preview !== null,
  });
  if (preview === null) return <Text c="dimmed">There is none.</Text>;
  if (error) return <ProblemNote error={error} onRetry={() => void refetch()} />;
  if (isPending) return <Reading height={240} />;
  return (
    <OccurrenceTable
      timeZone={timeZone}
      occurrences={data}
      skips={skips}
      {...(writeAll && {
        action: ({ time }) => <SkipButton schedule={schedule} time={time} />,
      })}
    />
  );
}

function SkipButton({ schedule, time }: { readonly schedule: Schedule; readonly time: string }) {
  const { scheduleId, skips } = schedule;
  const isSkipped = skips.includes(time);
  const change = useChange({
    change: () =>
      isSkipped
        ? postdate.schedules.unskip(scheduleId, time)
        : postdate.schedules.skip(scheduleId, time),
    done: isSkipped ? "It takes place." : "Skipped.",
    touches: [scheduleQuery(scheduleId).queryKey],
  });
  return (
    <>
      {change.error && <ProblemNote error={change.error} />}
      <Button
        size="compact-xs"
        variant="default"
        loading={change.isPending}
        onClick={() => change.mutate()}
      >
        {isSkipped ? "Do not skip" : "Skip"}
      </Button>
    </>
  );
}
