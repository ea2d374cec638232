import type { Activity, Forecast } from "@postdate/client";
import { useQuery } from "@tanstack/react-query";
import { activityQuery, nextHourQuery, statsQuery, targetPageQuery } from "../../api/queries.ts";
import { useScopes } from "../../api/session.tsx";
import { ActivityBars } from "../../charts/activity-bars.tsx";
import { ForecastBars } from "../../charts/forecast-bars.tsx";
import { LatenessBars } from "../../charts/lateness-bars.tsx";
import { amount } from "../../presentation/amount.ts";
import { Page } from "../../presentation/page.tsx";
import { Panel } from "../../presentation/panel.tsx";
import { ProblemNote } from "../../presentation/problem-note.tsx";
import { duration } from "../../time/time-text.ts";
import { AttentionPanel } from "./attention-panel.tsx";
import { Figures } from "./figures.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { ServicePanel } from "./service-panel.tsx";
import styles from "./overview-page.module.css";

/** What is due, how it goes, and what needs a person. */
export default function OverviewPage() {
  const { readAll } = useScopes();
  const stats = useQuery(statsQuery());
  const activity = useQuery(activityQuery());
  const nextHour = useQuery(nextHourQuery());
  const targets = useQuery({ ...targetPageQuery(), enabled: readAll });
  const error = stats.error ?? activity.error ?? nextHour.error;
  const isNew = targets.data?.count === 0;
  return (
    <Page title="Overview">
      {error && <ProblemNote error={error} onRetry={() => void stats.refetch()} />}
      {isNew && <FirstSteps />}
      {stats.data && <Figures stats={stats.data} />}
      <div className={styles["grid"]}>
        <Panel title="Attempts a minute" aside={<ActivityNote activity={activity.data} />}>
          {activity.data && <ActivityBars activity={activity.data} />}
        </Panel>
        <Panel title="The next hour" aside={<DueNote forecast={nextHour.data} />}>
          {nextHour.data && <ForecastBars forecast={nextHour.data} />}
        </Panel>
        <Panel title="Lateness" aside={<LatenessNote activity={activity.data} />}>
          {activity.data && <LatenessBars activity={activity.data} />}
        </Panel>
        <AttentionPanel />
      </div>
      <ServicePanel />
    </Page>
  );
}

function ActivityNote({ activity }: { readonly activity: Activity | undefined }) {
  if (activity === undefined) return null;
  const { attempts, outcomes } = activity.total;
  if (attempts === 0) return "none in the last hour";
  const rate = ((outcomes["DELIVERED"] ?? 0) / attempts) * 100;
  return `${attempts.toLocaleString("en")} in the last hour, ${Number(rate.toFixed(1))} % delivered`;
}

function DueNote({ forecast }: { readonly forecast: Forecast | undefined }) {
  if (forecast === undefined) return null;
  const sum = forecast.items.reduce((all, { messages }) => all + messages, 0);
  return `${amount({ value: sum, exact: forecast.exact })} due`;
}

function LatenessNote({ activity }: { readonly activity: Activity | undefined }) {
  const { p50Ms, p99Ms } = activity?.total.lateness ?? {};
  if (p50Ms == null || p99Ms == null) return "no attempt in the last hour";
  return `p50 ${duration(p50Ms)} · p99 ${duration(p99Ms)}`;
}
