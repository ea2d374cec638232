import { Text } from "@mantine/core";
import type { Schedule } from "@postdate/client";
import { useQuery } from "@tanstack/react-query";
import { ProblemNote } from "../../presentation/problem-note.tsx";
import { Reading } from "../../presentation/reading.tsx";
import { dateTime } from "../../time/time-text.ts";
import { Time } from "../../time/time.tsx";
import { previewOf, readUntil } from "./coming-runs.ts";
import { yearOfDays, type Day, type Month } from "./year-of-days.ts";
import styles from "./calendar.module.css";

const yearMs = 365 * 86_400_000;
const monthName = new Intl.DateTimeFormat("en", {
  month: "long",
  year: "numeric",
  timeZone: "UTC",
});

/** A year of runs on the clocks of the schedule. */
export function CalendarTab({ schedule }: { readonly schedule: Schedule }) {
  const { scheduleId, revision, timeZone } = schedule;
  const preview = previewOf(schedule);
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ["year", scheduleId, revision],
    queryFn: async ({ signal }) => {
      const asOf = Date.now();
      return { asOf, ...(await readUntil(preview!, asOf + yearMs, { signal })) };
    },
    enabled: preview !== null,
    staleTime: 60_000,
  });
  if (preview === null) return <Text c="dimmed">There is no run to come.</Text>;
  if (error) return <ProblemNote error={error} onRetry={() => void refetch()} />;
  if (isPending) return <Reading height={320} />;
  const { occurrences, isCut, asOf } = data;
  const today = dateTime(asOf, timeZone).slice(0, 10);
  const last = occurrences.at(-1);
  return (
    <>
      <Text size="sm" c="dimmed" mb="sm">
        {isCut && last ? (
          <>
            The next {occurrences.length} runs, until <Time at={last.time} />. It is due too often
            to show more.
          </>
        ) : (
          `${occurrences.length} runs in a year, on the clocks of ${timeZone}.`
        )}{" "}
        A ring marks days on which clocks skip or repeat the time of a run.
      </Text>
      <div className={styles["year"]}>
        {yearOfDays(today, occurrences).map((month) => (
          <MonthOfRuns key={month.month} month={month} />
        ))}
      </div>
    </>
  );
}

function MonthOfRuns({ month: { month, before, days } }: { readonly month: Month }) {
  const name = monthName.format(new Date(`${month}-01T00:00:00Z`));
  const sum = days.reduce((all, { runs }) => all + runs, 0);
  const withRuns = days.filter(({ runs }) => runs > 0).length;
  const odd = days.filter(({ isOdd }) => isOdd).map(({ date }) => date);
  const inWords = [
    `${name}: ${sum} runs on ${withRuns} days`,
    ...(odd.length === 0 ? [] : [`clocks change on ${odd.join(", ")}`]),
  ].join("; ");
  return (
    <figure className={styles["month"]}>
      <figcaption className={styles["name"]} aria-hidden="true">
        {name}
      </figcaption>
      <div className={styles["days"]} role="img" aria-label={inWords}>
        {Array.from({ length: before }, (_, index) => (
          <span key={index} />
        ))}
        {days.map((day) => (
          <DayOfRuns key={day.date} day={day} />
        ))}
      </div>
    </figure>
  );
}

function DayOfRuns({ day: { date, runs, isOdd } }: { readonly day: Day }) {
  const amount = runs === 0 ? "none" : runs === 1 ? "one" : runs < 5 ? "some" : "many";
  return (
    <span
      className={styles["day"]}
      data-amount={amount}
      data-odd={isOdd}
      title={`${date}: ${runs} ${runs === 1 ? "run" : "runs"}`}
    >
      {Number(date.slice(8))}
    </span>
  );
}
