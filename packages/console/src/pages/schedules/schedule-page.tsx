import { Tabs, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { scheduleQuery } from "../../api/queries.ts";
import { useScopes } from "../../api/session.tsx";
import type { ScheduleTab } from "../../app/router.tsx";
import { Page } from "../../presentation/page.tsx";
import { ProblemNote } from "../../presentation/problem-note.tsx";
import { Reading } from "../../presentation/reading.tsx";
import { CalendarTab } from "./calendar-tab.tsx";
import { ComingTab } from "./coming-tab.tsx";
import { RunsTab } from "./runs-tab.tsx";
import { ScheduleActions } from "./schedule-actions.tsx";
import { ScheduleSummary } from "./schedule-summary.tsx";
import { SettingsTab } from "./settings-tab.tsx";

const EditTab = lazy(() => import("./edit-tab.tsx"));

/** One recurring schedule: when it is due, what became of its runs, and how it is set. */
export default function SchedulePage() {
  const { scheduleId } = useParams({ from: "/schedules/$scheduleId" });
  const { tab: wanted = "coming" } = useSearch({ from: "/schedules/$scheduleId" });
  const navigate = useNavigate();
  const { writeAll } = useScopes();
  // A link may come from somebody who may do more.
  const tab = wanted === "edit" && !writeAll ? "coming" : wanted;
  const { data: schedule, error, refetch } = useQuery(scheduleQuery(scheduleId));
  if (schedule === null) {
    return (
      <Page title="There is no such schedule">
        <Text>
          It may have been removed. <Link to="/schedules">All schedules</Link>
        </Text>
      </Page>
    );
  }
  const show = (chosen: string | null): void =>
    void navigate({
      to: "/schedules/$scheduleId",
      params: { scheduleId },
      search: (old) => ({ ...old, tab: chosen as ScheduleTab }),
      replace: true,
    });
  return (
    <Page
      title={scheduleId}
      actions={schedule && writeAll && <ScheduleActions schedule={schedule} />}
    >
      {error && <ProblemNote error={error} onRetry={() => void refetch()} />}
      {schedule === undefined && !error && <Reading height={240} />}
      {schedule && (
        <>
          <ScheduleSummary schedule={schedule} />
          <Tabs value={tab} onChange={show} keepMounted={false}>
            <Tabs.List mb="md">
              <Tabs.Tab value="coming">Runs to come</Tabs.Tab>
              <Tabs.Tab value="calendar">Calendar</Tabs.Tab>
              <Tabs.Tab value="runs">Runs</Tabs.Tab>
              <Tabs.Tab value="settings">Settings</Tabs.Tab>
              {writeAll && <Tabs.Tab value="edit">Edit</Tabs.Tab>}
            </Tabs.List>
            <Tabs.Panel value="coming">
              <ComingTab schedule={schedule} />
            </Tabs.Panel>
            <Tabs.Panel value="calendar">
              <CalendarTab schedule={schedule} />
            </Tabs.Panel>
            <Tabs.Panel value="runs">
              <RunsTab scheduleId={scheduleId} />
            </Tabs.Panel>
            <Tabs.Panel value="settings">
              <SettingsTab schedule={schedule} />
            </Tabs.Panel>
            <Tabs.Panel value="edit">
              <Suspense fallback={<Reading height={240} />}>
                <EditTab
                  key={schedule.revision}
                  schedule={schedule}
                  onDone={() => show("coming")}
                />
              </Suspense>
            </Tabs.Panel>
          </Tabs>
        </>
      )}
    </Page>
  );
}
