import { Button } from "@mantine/core";
import type { ListedSchedule } from "@postdate/client";
import { Link, useSearch } from "@tanstack/react-router";
import { postdate } from "../../api/postdate.ts";
import { useScopes } from "../../api/session.tsx";
import { usePages } from "../../api/use-pages.ts";
import { Mark } from "../../presentation/mark.tsx";
import { Page } from "../../presentation/page.tsx";
import { PagedTable } from "../../presentation/paged-table.tsx";
import { Time } from "../../time/time.tsx";
import { outcomeOf, whenWords } from "./schedule-words.ts";

/** Messages that recur. */
export default function SchedulesPage() {
  const { targetId } = useSearch({ from: "/schedules" });
  const { writeAll } = useScopes();
  const query = targetId === undefined ? {} : { targetId };
  const found = usePages({
    queryKey: ["schedules", query],
    list: (page, options) => postdate.schedules.list({ ...query, ...page }, options),
    refetchInterval: 15_000,
  });
  return (
    <Page
      title="Schedules"
      actions={
        writeAll && (
          <Button size="xs" renderRoot={(props) => <Link to="/new-schedule" {...props} />}>
            New schedule
          </Button>
        )
      }
    >
      <PagedTable
        found={found}
        label="Recurring schedules"
        keyOf={({ scheduleId }) => scheduleId}
        ifEmpty="None yet. A schedule makes a message for its target at each of its times."
        columns={[
          {
            name: "Schedule",
            isWhole: true,
            show: ({ scheduleId }) => <ScheduleLink scheduleId={scheduleId} />,
          },
          { name: "State", show: (schedule) => <ScheduleState schedule={schedule} /> },
          { name: "When", show: (schedule) => `${whenWords(schedule)} (${schedule.timeZone})` },
          { name: "Target", isWhole: true, show: (schedule) => schedule.targetId },
          {
            name: "Next run",
            show: ({ nextRunTime }) => nextRunTime && <Time at={nextRunTime} isRelative />,
          },
          { name: "Last run", show: ({ lastRun }) => lastRun && <LastRun run={lastRun} /> },
        ]}
      />
    </Page>
  );
}

function ScheduleLink({ scheduleId }: { readonly scheduleId: string }) {
  return (
    <Link to="/schedules/$scheduleId" params={{ scheduleId }}>
      {scheduleId}
    </Link>
  );
}

export function ScheduleState({ schedule }: { readonly schedule: ListedSchedule }) {
  if (schedule.paused) return <Mark tone="bad">Paused</Mark>;
  if (schedule.nextRunTime === null) return <Mark tone="quiet">Ended</Mark>;
  return <Mark tone="good">Active</Mark>;
}

function LastRun({ run }: { readonly run: NonNullable<ListedSchedule["lastRun"]> }) {
  const [name, tone] = outcomeOf(run);
  return <Mark tone={tone}>{name}</Mark>;
}
