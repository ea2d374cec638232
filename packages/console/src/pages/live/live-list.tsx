import { Button, Group, Switch, Text, TextInput } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { LiveSearch } from "../../app/router.tsx";
import { inertText } from "../../presentation/inert-text.ts";
import { Mark, type MarkTone } from "../../presentation/mark.tsx";
import { ProblemNote } from "../../presentation/problem-note.tsx";
import { Reading } from "../../presentation/reading.tsx";
import { Table } from "../../presentation/table.tsx";
import { Time } from "../../time/time.tsx";
import { EventSubject } from "./event-subject.tsx";
import { toneOf } from "./event-types.ts";
import { detailsOf, shortType, targetOf } from "./event-words.ts";
import { useLiveEvents, type Connection } from "./use-live-events.ts";

/** What an endpoint gets, as it happens, the newest first. */
export function LiveList({ endpointId }: { readonly endpointId: string }) {
  const [isPaused, setPaused] = useState(false);
  const { type: wantedType = "", target: wantedTarget = "" } = useSearch({ from: "/live" });
  const navigate = useNavigate();
  const want = (changes: LiveSearch): void =>
    void navigate({ to: "/live", search: (old) => ({ ...old, ...changes }), replace: true });
  const live = useLiveEvents(endpointId, isPaused);
  const { events, dropped, hasGap, isFollowing, connection, failure } = live;
  const shown = events.filter(
    (event) =>
      shortType(event).includes(wantedType.trim()) &&
      (wantedTarget.trim() === "" || targetOf(event.data) === wantedTarget.trim()),
  );
  return (
    <>
      <Group gap="sm" align="end">
        <TextInput
          size="xs"
          label="Type"
          placeholder="dead_lettered"
          value={wantedType}
          onChange={({ currentTarget }) => want({ type: currentTarget.value || undefined })}
        />
        <TextInput
          size="xs"
          label="Target"
          placeholder="mail"
          value={wantedTarget}
          onChange={({ currentTarget }) => want({ target: currentTarget.value || undefined })}
        />
        <Switch
          size="xs"
          label="Paused"
          disabled={!isFollowing}
          checked={isPaused}
          onChange={({ currentTarget }) => setPaused(currentTarget.checked)}
          pb={6}
        />
        <Text size="sm" component="div" role="status" pb={5}>
          {!isPaused && !failure && <ConnectionMark connection={connection} />}
        </Text>
      </Group>
      {failure && <ProblemNote error={failure.error} onRetry={failure.tryAgain} />}
      {hasGap && (
        <Text size="sm">
          Some events are missing: they left the retention before they could be shown, or a backup
          was restored.
        </Text>
      )}
      {dropped > 0 && (
        <Text size="sm">{dropped.toLocaleString("en")} older ones are not shown any more.</Text>
      )}
      {!isFollowing && !failure && <Reading height={40} />}
      {!isFollowing || (failure && events.length === 0) ? null : shown.length === 0 ? (
        <Waiting
          hasSome={events.length > 0}
          isPaused={isPaused}
          onResume={() => setPaused(false)}
        />
      ) : (
        <Table
          label="Events"
          items={shown}
          keyOf={({ position }) => position}
          columns={[
            { name: "Time", show: ({ time }) => <Time at={time} withMs /> },
            {
              name: "What",
              show: (event) => <Mark tone={toneOf(shortType(event))}>{shortType(event)}</Mark>,
            },
            { name: "Of", isWhole: true, show: (event) => <EventSubject event={event} /> },
            { name: "Target", isWhole: true, show: ({ data }) => inertText(targetOf(data) ?? "") },
            { name: "Details", show: ({ data }) => detailsOf(data) },
          ]}
        />
      )}
    </>
  );
}

const connectionWords: Readonly<Record<Connection, readonly [MarkTone, string]>> = {
  opening: ["wait", "Connecting"],
  open: ["good", "Live"],
  lost: ["bad", "Connection lost, trying again. What happens meanwhile comes afterwards."],
};

function ConnectionMark({ connection }: { readonly connection: Connection }) {
  const [tone, words] = connectionWords[connection];
  return <Mark tone={tone}>{words}</Mark>;
}

interface WaitingProps {
  readonly hasSome: boolean;
  readonly isPaused: boolean;
  readonly onResume: () => void;
}

function Waiting({ hasSome, isPaused, onResume }: WaitingProps) {
  if (hasSome) return <Text size="sm">No event here is of this type and target.</Text>;
  if (!isPaused) return <Text size="sm">Waiting for the first event.</Text>;
  return (
    <Text size="sm" component="div">
      Paused. What happens meanwhile is kept.{" "}
      <Button size="compact-xs" variant="default" onClick={onResume}>
        Go on
      </Button>
    </Text>
  );
}
