import { Button, Group, Text } from "@mantine/core";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { postdate } from "../../api/postdate.ts";
import { useScopes } from "../../api/session.tsx";
import { useChange } from "../../api/use-change.ts";
import { Page } from "../../presentation/page.tsx";
import { Panel } from "../../presentation/panel.tsx";
import { ProblemNote } from "../../presentation/problem-note.tsx";
import { useZone } from "../../time/zone.tsx";
import { zoneName } from "../../time/time-text.ts";
import { LivePreview } from "./live-preview.tsx";
import { changesOf, emptyDraft } from "./schedule-draft.ts";
import { ScheduleForm } from "./schedule-form.tsx";
import styles from "./schedules.module.css";

export default function NewSchedulePage() {
  const { writeAll } = useScopes();
  return <Page title="New schedule">{writeAll ? <Editor /> : <NoEditor />}</Page>;
}

/** A link may come from somebody who may do more. */
function NoEditor() {
  return (
    <Text size="sm">
      It takes a key with the scope scheduler.all.readwrite to make one.{" "}
      <Link to="/schedules">All schedules</Link>
    </Text>
  );
}

function Editor() {
  const zone = useZone();
  const navigate = useNavigate();
  const [draft, setDraft] = useState({ ...emptyDraft, timeZone: zoneName(zone) });
  const fields = changesOf(draft);
  const create = useChange({
    change() {
      const { scheduleId, payload, targetId, catchUp } = draft;
      return postdate.schedules.create({
        ...fields,
        ...(scheduleId.trim() !== "" && { scheduleId: scheduleId.trim() }),
        ...{ targetId: targetId.trim(), payload, catchUp: { mode: catchUp } },
      });
    },
    done({ scheduleId }) {
      void navigate({ to: "/schedules/$scheduleId", params: { scheduleId } });
      return "Created.";
    },
    touches: [["schedules"]],
  });
  return (
    <form
      className={styles["editor"]}
      onSubmit={(event) => {
        event.preventDefault();
        if (fields !== undefined) create.mutate();
      }}
    >
      <Panel title="Schedule">
        <ScheduleForm draft={draft} onChange={setDraft} isNew />
        {create.error && <ProblemNote error={create.error} />}
        <Group justify="flex-end" mt="md">
          <Button type="submit" loading={create.isPending} disabled={fields === undefined}>
            Create
          </Button>
        </Group>
      </Panel>
      <LivePreview draft={draft} />
    </form>
  );
}
