import { Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { postdate } from "../../api/postdate.ts";
import { Panel } from "../../presentation/panel.tsx";
import { ProblemNote } from "../../presentation/problem-note.tsx";
import { recurrenceOf, type ScheduleDraft } from "./schedule-draft.ts";
import { OccurrenceTable } from "./occurrence-table.tsx";
import { whenWords } from "./schedule-words.ts";
import styles from "./schedules.module.css";

const pauseMs = 300;
const shown = 8;

/** What a draft means, in words and as its next runs. It follows while somebody writes. */
export function LivePreview({ draft }: { readonly draft: ScheduleDraft }) {
  const [settled] = useDebouncedValue(draft, pauseMs);
  const recurrence = recurrenceOf(settled);
  const { data, error } = useQuery({
    queryKey: ["preview", recurrence],
    queryFn: ({ signal }) =>
      postdate.schedules.preview({ ...recurrence, count: shown }, { signal }),
    enabled: recurrence !== undefined,
    placeholderData: keepPreviousData,
  });
  return (
    <Panel title="What it means">
      {recurrence === undefined && <Text c="dimmed">Say when it is due.</Text>}
      {recurrence !== undefined && (
        <p className={styles["words"]}>Due {whenWords(written(recurrence))}.</p>
      )}
      {error && <ProblemNote error={error} />}
      {recurrence !== undefined && !error && data && (
        <OccurrenceTable timeZone={settled.timeZone} occurrences={data} />
      )}
    </Panel>
  );
}

function written({ cron, everyMs, at }: NonNullable<ReturnType<typeof recurrenceOf>>) {
  return {
    cron: [cron ?? []].flat().length === 0 ? null : [cron!].flat(),
    everyMs: everyMs ?? null,
    at: at ?? null,
  };
}
