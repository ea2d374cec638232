import type { Occurrence } from "@postdate/client";
import type { ReactNode } from "react";
import { Mark } from "../../presentation/mark.tsx";
import { Table } from "../../presentation/table.tsx";
import { Time } from "../../time/time.tsx";

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
        {
          name: `Clocks of ${timeZone}`,
          show: ({ localTime, offset }) => `${localTime.replace("T", " ")} ${offset}`,
        },
        { name: "Time", show: ({ time }) => <Time at={time} isRelative /> },
        { name: "Note", show: noteOn },
        ...(action ? [{ name: "Action", show: action, isAtRight: true }] : []),
      ]}
    />
  );
}
