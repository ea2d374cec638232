import { useQuery } from "@tanstack/react-query";
import { activityQuery, nextHourQuery } from "../../api/queries.ts";
import { ActivityBars } from "../../charts/activity-bars.tsx";
import { ForecastBars } from "../../charts/forecast-bars.tsx";
import { LatenessBars } from "../../charts/lateness-bars.tsx";
import { Panel } from "../../presentation/panel.tsx";
import { ProblemNote } from "../../presentation/problem-note.tsx";
import { Row, Rows } from "../../presentation/rows.tsx";
import { HealthLine } from "./health-line.tsx";
import styles from "./targets.module.css";

export function HealthTab({ targetId }: { readonly targetId: string }) {
  const { data: activity, error, refetch } = useQuery(activityQuery(targetId));
  const { data: forecast } = useQuery(nextHourQuery(targetId));
  if (error) return <ProblemNote error={error} onRetry={() => void refetch()} />;
  const outcomes = Object.entries(activity?.total.outcomes ?? {}).filter(([, count]) => count > 0);
  return (
    <div className={styles["grid"]}>
      <Panel title="Attempts a minute" aside={<HealthLine activity={activity} />}>
        {activity && <ActivityBars activity={activity} />}
      </Panel>
      <Panel title="The next hour" aside={forecast && `${forecast.overdue} overdue`}>
        {forecast && <ForecastBars forecast={forecast} />}
      </Panel>
      <Panel title="Lateness">{activity && <LatenessBars activity={activity} />}</Panel>
      <Panel title="Outcomes of the last hour">
        <Rows>
          {outcomes.map(([outcome, count]) => (
            <Row key={outcome} side={count.toLocaleString("en")}>
              {outcome.toLowerCase().replaceAll("_", " ")}
            </Row>
          ))}
        </Rows>
        {activity && outcomes.length === 0 && <p>No attempt in the last hour.</p>}
      </Panel>
    </div>
  );
}
