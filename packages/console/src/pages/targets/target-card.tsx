import type { Target, TargetStats } from "@postdate/client";
import { useInViewport } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { activityQuery } from "../../api/queries.ts";
import { ActivityBars } from "../../charts/activity-bars.tsx";
import { inertText } from "../../presentation/inert-text.ts";
import { HealthLine } from "./health-line.tsx";
import { LoadLine } from "./load-line.tsx";
import styles from "./targets.module.css";

interface TargetCardProps {
  readonly target: Target;
  readonly stats: TargetStats | undefined;
}

/** Asks for the activity of a target only when its card is seen: there may be a hundred. */
export function TargetCard({ target, stats }: TargetCardProps) {
  const { targetId, url, paused } = target;
  const { ref, inViewport } = useInViewport();
  const { data: activity } = useQuery({ ...activityQuery(targetId), enabled: inViewport });
  return (
    <div ref={ref} className={styles["card"]}>
      <div className={styles["card-head"]}>
        <Link to="/targets/$targetId" params={{ targetId }} className={styles["name"]}>
          {targetId}
        </Link>
        {paused && <span className={styles["paused"]}>Paused</span>}
      </div>
      <div className={styles["url"]}>{inertText(url)}</div>
      <div className={styles["spark"]}>
        {activity && <ActivityBars activity={activity} height={36} />}
      </div>
      <HealthLine activity={activity} />
      <LoadLine stats={stats} />
    </div>
  );
}
