import { Autocomplete, SegmentedControl, Select, Stack, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { targetPageQuery } from "../../api/queries.ts";
import type { ScheduleDraft } from "./schedule-draft.ts";
import { catchUpWords, overlapWords } from "./schedule-words.ts";
import styles from "./schedules.module.css";

interface ScheduleFormProps {
  readonly draft: ScheduleDraft;
  readonly onChange: (draft: ScheduleDraft) => void;
  /** Whether its id can be chosen. */
  readonly isNew: boolean;
}

const kinds = [
  { value: "cron", label: "Expression" },
  { value: "every", label: "Interval" },
  { value: "at", label: "Dates" },
] as const;

/** The fields of a schedule. */
export function ScheduleForm({ draft, onChange, isNew }: ScheduleFormProps) {
  const { data: targets } = useQuery(targetPageQuery());
  const zones = useMemo(() => ["UTC", ...Intl.supportedValuesOf("timeZone")], []);
  const set = (changes: Partial<ScheduleDraft>): void => onChange({ ...draft, ...changes });
  const text = (name: keyof ScheduleDraft) => ({
    value: draft[name],
    onChange: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      set({ [name]: currentTarget.value }),
  });
  return (
    <Stack gap="sm">
      <div className={styles["pair"]}>
        {isNew && (
          <TextInput
            label="Id"
            placeholder="Leave it empty for a new one"
            {...text("scheduleId")}
          />
        )}
        <Autocomplete
          label="Target"
          required
          data={targets?.items.map(({ targetId }) => targetId) ?? []}
          value={draft.targetId}
          onChange={(targetId) => set({ targetId })}
        />
      </div>
      <SegmentedControl
        aria-label="How to say when"
        data={[...kinds]}
        value={draft.kind}
        onChange={(kind) => set({ kind })}
      />
      {draft.kind === "cron" && (
        <Textarea
          label="Expressions"
          description="Minute, hour, day of month, month, weekday. One a line: due when any of them is"
          autosize
          minRows={1}
          styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
          {...text("cron")}
        />
      )}
      {draft.kind === "every" && (
        <TextInput label="Every" description="30s, 15m, 2h or 1d" {...text("every")} />
      )}
      {draft.kind === "at" && (
        <Textarea
          label="Dates and times"
          description="One a line, on the clocks of the zone: 2027-07-01T18:00"
          autosize
          minRows={2}
          {...text("at")}
        />
      )}
      <Select
        label="Time zone"
        searchable
        allowDeselect={false}
        limit={40}
        data={zones}
        value={draft.timeZone}
        onChange={(timeZone) => timeZone !== null && set({ timeZone })}
      />
      <div className={styles["pair"]}>
        <TextInput label="Not before" placeholder="2027-01-01T00:00:00Z" {...text("startTime")} />
        <TextInput label="Not after" placeholder="2027-12-31T23:59:59Z" {...text("endTime")} />
        <TextInput label="Runs at most" inputMode="numeric" {...text("maxRuns")} />
        <TextInput label="Spread each over" placeholder="5m" {...text("flexWindow")} />
      </div>
      <Textarea
        label="Except"
        description="Dates, or dates and times, on the clocks of the zone. One a line"
        autosize
        minRows={1}
        {...text("except")}
      />
      <div className={styles["pair"]}>
        <Select
          label="If one still waits"
          allowDeselect={false}
          data={Object.entries(overlapWords).map(([value, label]) => ({ value, label }))}
          value={draft.overlap}
          onChange={(overlap) => set({ overlap: overlap as ScheduleDraft["overlap"] })}
        />
        <Select
          label="Missed runs"
          allowDeselect={false}
          data={Object.entries(catchUpWords).map(([value, label]) => ({ value, label }))}
          value={draft.catchUp}
          onChange={(catchUp) => set({ catchUp: catchUp as ScheduleDraft["catchUp"] })}
        />
        <TextInput
          label="Pause after dead letters"
          inputMode="numeric"
          {...text("pauseAfterDeadLetters")}
        />
      </div>
      <Textarea label="Payload" autosize minRows={2} maxRows={12} {...text("payload")} />
    </Stack>
  );
}
