import type { EventEndpoint } from "@postdate/client";
import { Button, NativeSelect, Stack, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { postdate } from "../../api/postdate.ts";
import { eventEndpointsQuery } from "../../api/queries.ts";
import { useScopes } from "../../api/session.tsx";
import { useChange } from "../../api/use-change.ts";
import { ConfirmButton } from "../../presentation/confirm-button.tsx";
import { inertText } from "../../presentation/inert-text.ts";
import { Page } from "../../presentation/page.tsx";
import { ProblemNote } from "../../presentation/problem-note.tsx";
import { Reading } from "../../presentation/reading.tsx";
import { filterWords, widest } from "./endpoint-filter.ts";
import { LiveList } from "./live-list.tsx";

const ownEndpointId = "console-live";
const everyType = ["message.*", "target.*", "schedule.*", "job.*", "endpoint.*"] as const;
const touches = [["event endpoints"]] as const;

/** What happens, as it happens. */
export default function LivePage() {
  const { data, error, isPending, refetch } = useQuery(eventEndpointsQuery());
  const { endpoint: wanted } = useSearch({ from: "/live" });
  const navigate = useNavigate();
  const [shown, show] = useState<string>();
  const first = data && widest(data)?.endpointId;
  // The page stays with an endpoint, also if it is removed or a wider one comes.
  if (shown === undefined && first !== undefined) show(first);
  const endpointId = data && (wanted ?? shown);
  const endpoint = data?.find((one) => one.endpointId === endpointId);
  const choose = (chosen: string | undefined): void => {
    show(chosen);
    void navigate({ to: "/live", search: (old) => ({ ...old, endpoint: chosen }), replace: true });
  };
  return (
    <Page
      title="Live"
      actions={
        endpointId !== undefined && (
          <>
            <Choice endpoints={data ?? []} endpointId={endpointId} onChoose={choose} />
            {endpoint?.endpointId === ownEndpointId && <End onEnd={() => choose(undefined)} />}
          </>
        )
      }
    >
      {error && !data && <ProblemNote error={error} onRetry={() => void refetch()} />}
      {isPending && <Reading />}
      {data && endpointId === undefined && <Begin />}
      {endpoint && (
        <Text size="sm" c="dimmed">
          The endpoint “{endpoint.endpointId}” gets {filterWords(endpoint)}.
        </Text>
      )}
      {endpointId !== undefined && (
        <LiveList
          key={endpointId}
          endpointId={endpointId}
          onLeave={() => void refetch().then(() => choose(undefined))}
        />
      )}
    </Page>
  );
}

interface ChoiceProps {
  readonly endpoints: readonly EventEndpoint[];
  readonly endpointId: string;
  readonly onChoose: (endpointId: string) => void;
}

function Choice({ endpoints, endpointId, onChoose }: ChoiceProps) {
  const ids = endpoints.map((endpoint) => endpoint.endpointId);
  const gone = { value: endpointId, label: `${inertText(endpointId)}, removed` };
  return (
    <NativeSelect
      size="xs"
      aria-label="Event endpoint"
      value={endpointId}
      data={ids.includes(endpointId) ? ids : [gone, ...ids]}
      onChange={({ currentTarget }) => onChoose(currentTarget.value)}
    />
  );
}

/** Nobody has subscribed to anything yet, so that nothing is on record. */
function Begin() {
  const { writeAll } = useScopes();
  const begin = useChange({
    change: () =>
      postdate.events.create({
        endpointId: ownEndpointId,
        kind: "stream",
        types: [...everyType],
      }),
    done: "Events are kept from now on.",
    touches,
  });
  return (
    <Stack gap="sm" align="start">
      <Text size="sm">
        Nobody is told of events yet, so none are kept. An event endpoint of the account changes
        that: from then on, what happens stands in a log, and this page shows it.
      </Text>
      {begin.error && <ProblemNote error={begin.error} />}
      {writeAll ? (
        <Button size="xs" loading={begin.isPending} onClick={() => begin.mutate()}>
          Begin
        </Button>
      ) : (
        <Text size="sm">It takes a key with the scope scheduler.all.readwrite to make one.</Text>
      )}
    </Stack>
  );
}

function End({ onEnd }: { readonly onEnd: () => void }) {
  const { writeAll } = useScopes();
  const queries = useQueryClient();
  const end = useChange<undefined>({
    async change() {
      await postdate.events.remove(ownEndpointId);
      // The page goes on to another one at once. It must not take this one for removed by somebody else.
      queries.setQueryData(eventEndpointsQuery().queryKey, (old) =>
        old?.filter(({ endpointId }) => endpointId !== ownEndpointId),
      );
      onEnd();
    },
    done: "Events are no longer kept for this page.",
    touches,
  });
  if (!writeAll) return null;
  return (
    <ConfirmButton label="End" title="Keep no more events?" action="End it" change={end}>
      The stream of this page goes, for everybody who looks at it. Other endpoints stay.
    </ConfirmButton>
  );
}
