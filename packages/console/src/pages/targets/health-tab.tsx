import { useQuery } from "@tanstack/react-query";
import { activityQuery, nextHourQuery, oneTargetStatsQuery } from "../../api/queries.ts";
import { ActivityBars } from "../../charts/activity-bars.tsx";
import { ForecastBars } from "../../charts/forecast-bars.tsx";
import { LatenessBars } from "../../charts/lateness-bars.tsx";
import { amount } from "../../presentation/amount.ts";
import { Panel } from "../../presentation/panel.tsx";
import { ProblemNote } from "../../presentation/problem-note.tsx";
import { Row, Rows } from "../../presentation/rows.tsx";
import { HealthLine } from "./health-line.tsx";
import styles from "./targets.module.css";

export function HealthTab({ targetId }: { readonly targetId: string }) {
  const { data: activity, error, refetch } = useQuery(activityQuery(targetId));
  const { data: forecast } = useQuery(nextHourQuery(targetId));
  const { data: stats } = useQuery(oneTargetStatsQuery(targetId));
  if (error) return <ProblemNote error={error} onRetry={() => void refetch()} />;
  const outcomes = Object.entries(activity?.total.outcomes ?? {}).filter(
    ([, number]) => number > 0,
  );
  return (
    <div className={styles["grid"]}>
      <Panel title="Now" aside={stats?.paused && "paused"}>
        {stats && (
          <Rows>
            <Row side={`${count(stats.inFlight)} of ${count(stats.maxConcurrency)}`}>In flight</Row>
            <Row side={amount(stats.waiting)}>Due and waiting</Row>
            <Row side={amount(stats.deadLetters)}>Dead letters</Row>
          </Rows>
        )}
      </Panel>
      <Panel title="Attempts a minute" aside={<HealthLine activity={activity} />}>
        {activity && <ActivityBars activity={activity} />}
      </Panel>
      <Panel
        title="The next hour"
        aside={forecast && `${amount({ value: forecast.overdue, exact: forecast.exact })} overdue`}
      >
        {forecast && <ForecastBars forecast={forecast} />}
      </Panel>
      <Panel title="Lateness">{activity && <LatenessBars activity={activity} />}</Panel>
      <Panel title="Outcomes of the last hour">
        <Rows>
          {outcomes.map(([outcome, number]) => (
            <Row key={outcome} side={count(number)}>
              {outcome.toLowerCase().replaceAll("_", " ")}
            </Row>
          ))}
        </Rows>
        {activity && outcomes.length === 0 && <p>No attempt in the last hour.</p>}
      </Panel>
    </div>
  );
}

function count(value: number): string {
  return value.toLocaleString("en");
}
