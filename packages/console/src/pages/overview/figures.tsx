import type { Count, Stats } from "@postdate/client";
import { Link } from "@tanstack/react-router";
import { amount } from "../../presentation/amount.ts";
import styles from "./figures.module.css";

/** What waits and what is lost, each a way to the list of it. */
export function Figures({ stats }: { readonly stats: Stats }) {
  return (
    <ul className={styles["figures"]}>
      <li className={styles["figure"]}>
        <Link to="/forecast" search={{ hour: "overdue" }} className={styles["link"]}>
          <Content name="Overdue" count={stats.overdue} isBad={stats.overdue.value > 0} />
        </Link>
      </li>
      <Coming name="Due in 1 min" count={stats.dueInMinute} />
      <Coming name="Due in 1 h" count={stats.dueInHour} />
      <Coming name="Due in 24 h" count={stats.dueInDay} />
      <li className={styles["figure"]}>
        <Link to="/messages" search={{ q: "state:scheduled" }} className={styles["link"]}>
          <Content name="Scheduled" count={stats.pending} />
        </Link>
      </li>
      <li className={styles["figure"]}>
        <Link to="/dead-letters" className={styles["link"]}>
          <Content
            name="Dead letters"
            count={stats.deadLetters}
            isBad={stats.deadLetters.value > 0}
          />
        </Link>
      </li>
    </ul>
  );
}

interface FigureProps {
  readonly name: string;
  readonly count: Count;
  readonly isBad?: boolean;
}

function Coming(props: FigureProps) {
  return (
    <li className={styles["figure"]}>
      <Link to="/forecast" className={styles["link"]}>
        <Content {...props} />
      </Link>
    </li>
  );
}

function Content({ name, count, isBad = false }: FigureProps) {
  return (
    <>
      <span className={styles["name"]}>{name}</span>
      <span className={styles["value"]} data-bad={isBad}>
        {amount(count)}
      </span>
    </>
  );
}
