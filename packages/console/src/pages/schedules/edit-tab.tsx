import { Button, Group } from "@mantine/core";
import type { Schedule } from "@postdate/client";
import { useState } from "react";
import { postdate } from "../../api/postdate.ts";
import { scheduleQuery } from "../../api/queries.ts";
import { useChange } from "../../api/use-change.ts";
import { Panel } from "../../presentation/panel.tsx";
import { ProblemNote } from "../../presentation/problem-note.tsx";
import { LivePreview } from "./live-preview.tsx";
import { changesOf, draftOf } from "./schedule-draft.ts";
import { ScheduleForm } from "./schedule-form.tsx";
import styles from "./schedules.module.css";

interface EditTabProps {
  readonly schedule: Schedule;
  readonly onDone: () => void;
}

/** Changes a schedule. Options of its messages that the form does not show stay as they are. */
export default function EditTab({ schedule, onDone }: EditTabProps) {
  const { scheduleId } = schedule;
  const [draft, setDraft] = useState(() => draftOf(schedule));
  const changes = changesOf(draft);
  const save = useChange({
    change: () =>
      postdate.schedules.update(scheduleId, {
        ...changes!,
        ...(draft.catchUp !== schedule.catchUp.mode && { catchUp: { mode: draft.catchUp } }),
        // A field of a page turns line breaks into its own, so what nobody has touched is not sent.
        ...(draft.payload !== schedule.payload && { payload: draft.payload }),
      }),
    done: "Changed.",
    touches: [scheduleQuery(scheduleId).queryKey, ["schedules"]],
  });
  return (
    <form
      className={styles["editor"]}
      onSubmit={(event) => {
        event.preventDefault();
        if (changes !== undefined) save.mutate(undefined, { onSuccess: onDone });
      }}
    >
      <Panel title="Edit">
        <ScheduleForm draft={draft} onChange={setDraft} isNew={false} />
        {save.error && <ProblemNote error={save.error} />}
        <Group justify="flex-end" mt="md">
          <Button type="submit" loading={save.isPending} disabled={changes === undefined}>
            Save
          </Button>
        </Group>
      </Panel>
      <LivePreview draft={draft} />
    </form>
  );
}
