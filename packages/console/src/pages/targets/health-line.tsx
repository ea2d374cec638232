import type { Activity } from "@postdate/client";
import { plural } from "../../presentation/amount.ts";
import { duration } from "../../time/time-text.ts";
import styles from "./targets.module.css";

/** The last hour of a target in a line. */
export function HealthLine({ activity }: { readonly activity: Activity | undefined }) {
  if (activity === undefined) return <p className={styles["line"]}>&nbsp;</p>;
  const { attempts, outcomes, lateness } = activity.total;
  if (attempts === 0) return <p className={styles["line"]}>No attempt in the last hour</p>;
  const rate = ((outcomes["DELIVERED"] ?? 0) / attempts) * 100;
  return (
    <p className={styles["line"]}>
      {plural(attempts, "attempt")} · {Number(rate.toFixed(1))} % delivered · p99 lateness{" "}
      {duration(lateness.p99Ms ?? 0)}
    </p>
  );
}
