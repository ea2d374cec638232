import type { TargetStats } from "@postdate/client";
import { amount } from "../../presentation/amount.ts";
import styles from "./targets.module.css";

/** What a target has now, in a line. */
export function LoadLine({ stats }: { readonly stats: TargetStats | null | undefined }) {
  if (stats == null) return <p className={styles["line"]}>&nbsp;</p>;
  const { inFlight, maxConcurrency, waiting, deadLetters } = stats;
  return (
    <p className={styles["line"]}>
      {inFlight.toLocaleString("en")} of {maxConcurrency.toLocaleString("en")} in flight ·{" "}
      {amount(waiting)} due and waiting · {amount(deadLetters)} dead
    </p>
  );
}
