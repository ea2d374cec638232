import type { Occurrence } from "@postdate/client";
import type { ReactNode } from "react";
import { Mark } from "../../presentation/mark.tsx";
import { Table } from "../../presentation/table.tsx";
import { zoneName } from "../../time/time-text.ts";
import { Time } from "../../time/time.tsx";
import { useZone } from "../../time/zone.tsx";
import styles from "./schedules.module.css";

interface OccurrenceTableProps {
  readonly timeZone: string;
  readonly occurrences: readonly Occurrence[];
  readonly skips?: readonly string[];
  /** What can be done with each. */
  readonly action?: (occurrence: Occurrence) => ReactNode;
}

/** Runs to come, on the clocks of the schedule and on those of the reader. */
export function OccurrenceTable(props: OccurrenceTableProps) {
  const { timeZone, occurrences, skips = [], action } = props;
  // Otherwise both columns would say the same.
  const isSameZone = zoneName(useZone()) === timeZone;
  const noteOn = (occurrence: Occurrence): ReactNode => {
    const before = occurrences[occurrences.indexOf(occurrence) - 1];
    if (skips.includes(occurrence.time)) return <Mark tone="quiet">Skipped</Mark>;
    if (occurrence.mark === "gap") return "clocks skip the time; this is the end of the gap";
    if (occurrence.mark === "fold") return "clocks show this time twice";
    if (before !== undefined && before.offset !== occurrence.offset)
      return "the first after clocks change";
    return null;
  };
  return (
    <Table
      label="Runs to come"
      items={occurrences}
      keyOf={({ time }) => time}
      columns={[
        ...(isSameZone ? [] : [{ name: `Clocks of ${timeZone}`, show: onClocks }]),
        { name: "Time", show: ({ time }) => <Time at={time} isRelative /> },
        ...(occurrences.some((one) => noteOn(one) !== null)
          ? [{ name: "Note", show: noteOn }]
          : []),
        ...(action ? [{ name: "Action", show: action, isAtRight: true }] : []),
      ]}
    />
  );
}

function onClocks({ localTime, offset }: Occurrence): ReactNode {
  return (
    <>
      <span className={styles["clock"]}>{localTime.replace("T", " ")}</span> {offset}
    </>
  );
}
