import type { EventEndpoint } from "@postdate/client";
import { Button, NativeSelect, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { postdate } from "../../api/postdate.ts";
import { eventEndpointsQuery } from "../../api/queries.ts";
import { useScopes } from "../../api/session.tsx";
import { useChange } from "../../api/use-change.ts";
import { ConfirmButton } from "../../presentation/confirm-button.tsx";
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
  const chosen = data?.find(({ endpointId }) => endpointId === wanted) ?? widest(data ?? []);
  return (
    <Page title="Live" actions={chosen && <Choice endpoints={data ?? []} chosen={chosen} />}>
      {error && !data && <ProblemNote error={error} onRetry={() => void refetch()} />}
      {isPending && <Reading />}
      {data?.length === 0 && <Begin />}
      {chosen && (
        <Text size="sm" c="dimmed">
          The endpoint {chosen.endpointId} gets {filterWords(chosen)}.
        </Text>
      )}
      {chosen && <LiveList key={chosen.endpointId} endpointId={chosen.endpointId} />}
    </Page>
  );
}

interface ChoiceProps {
  readonly endpoints: readonly EventEndpoint[];
  readonly chosen: EventEndpoint;
}

function Choice({ endpoints, chosen: { endpointId } }: ChoiceProps) {
  const navigate = useNavigate();
  return (
    <>
      <NativeSelect
        size="xs"
        aria-label="Event endpoint"
        value={endpointId}
        data={endpoints.map((endpoint) => endpoint.endpointId)}
        onChange={({ currentTarget }) => {
          const endpoint = currentTarget.value;
          void navigate({ to: "/live", search: (old) => ({ ...old, endpoint }), replace: true });
        }}
      />
      {endpointId === ownEndpointId && <End />}
    </>
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

function End() {
  const { writeAll } = useScopes();
  const end = useChange<undefined>({
    change: () => postdate.events.remove(ownEndpointId),
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
