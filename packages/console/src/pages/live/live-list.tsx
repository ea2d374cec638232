import { Alert, Button, Group, Switch, Text, TextInput } from "@mantine/core";
import { ApiError } from "@postdate/client";
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

interface LiveListProps {
  readonly endpointId: string;
  /** Somebody has seen that the endpoint is gone, and wants to look at something else. */
  readonly onLeave: () => void;
}

/** What an endpoint gets, as it happens, the newest first. */
export function LiveList({ endpointId, onLeave }: LiveListProps) {
  const [isPaused, setPaused] = useState(false);
  const { type: wantedType = "", target: wantedTarget = "" } = useSearch({ from: "/live" });
  const navigate = useNavigate();
  const want = (changes: LiveSearch): void =>
    void navigate({ to: "/live", search: (old) => ({ ...old, ...changes }), replace: true });
  const live = useLiveEvents(endpointId, isPaused);
  const { events, dropped, hasGap, isFollowing, connection, failure } = live;
  const isGone = failure?.error instanceof ApiError && failure.error.status === 404;
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
          placeholder="message.dead_lettered"
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
          disabled={!isFollowing || isGone}
          checked={isPaused}
          onChange={({ currentTarget }) => setPaused(currentTarget.checked)}
          pb={6}
        />
        <Text size="sm" component="div" role="status" pb={5}>
          {!isPaused && !failure && <ConnectionMark connection={connection} />}
        </Text>
      </Group>
      {failure && isGone && <GoneNote endpointId={endpointId} onLeave={onLeave} />}
      {failure && !isGone && <ProblemNote error={failure.error} onRetry={failure.tryAgain} />}
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
              show: (event) => (
                <Mark tone={toneOf(shortType(event))}>{inertText(shortType(event))}</Mark>
              ),
            },
            { name: "Of", isWhole: true, show: (event) => <EventSubject event={event} /> },
            { name: "Target", isWhole: true, show: ({ data }) => inertText(targetOf(data) ?? "") },
            { name: "Details", show: detailsOf },
          ]}
        />
      )}
    </>
  );
}

const connectionWords: Readonly<Record<Connection, readonly [MarkTone, string]>> = {
  opening: ["wait", "Connecting"],
  open: ["good", "Live"],
  lost: ["bad", "Connection lost, trying again"],
};

function ConnectionMark({ connection }: { readonly connection: Connection }) {
  const [tone, words] = connectionWords[connection];
  return <Mark tone={tone}>{words}</Mark>;
}

/** The page of a link, or what somebody else has removed meanwhile. */
function GoneNote({ endpointId, onLeave }: LiveListProps) {
  return (
    <Alert
      color="red"
      variant="default"
      role="alert"
      title={`There is no event endpoint “${inertText(endpointId)}” any more.`}
      className="problem"
    >
      <Text size="sm">
        It was removed, so nothing more comes from it. What has come stays here until you leave.
      </Text>
      <Button size="xs" mt="sm" variant="default" onClick={onLeave}>
        Go on without it
      </Button>
    </Alert>
  );
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
