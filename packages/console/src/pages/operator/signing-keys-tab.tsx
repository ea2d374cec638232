import { Stack } from "@mantine/core";
import type { Postdate, SigningKey } from "@postdate/client";
import { useQuery } from "@tanstack/react-query";
import { useChange } from "../../api/use-change.ts";
import { ConfirmButton } from "../../presentation/confirm-button.tsx";
import { Mark, type MarkTone } from "../../presentation/mark.tsx";
import { ProblemNote } from "../../presentation/problem-note.tsx";
import { Reading } from "../../presentation/reading.tsx";
import { Table } from "../../presentation/table.tsx";
import { Time } from "../../time/time.tsx";

const queryKey = ["operator", "signing keys"];

const states: Readonly<Record<SigningKey["state"], readonly [string, MarkTone]>> = {
  UPCOMING: ["Upcoming", "wait"],
  SIGNING: ["Signing", "good"],
  PREVIOUS: ["Previous", "quiet"],
};

/** The keys that sign access tokens. */
export function SigningKeysTab({ operator }: { readonly operator: Postdate }) {
  const { data, error, isPending, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => operator.signingKeys.list({ signal }),
  });
  const rotate = useChange({
    change: () => operator.signingKeys.rotate(),
    done: "A new key was made.",
    touches: [queryKey],
  });
  return (
    <Stack gap="sm">
      <div>
        <ConfirmButton
          label="Rotate"
          title="Rotate the signing keys?"
          action="Rotate them"
          change={rotate}
        >
          A new key is made, and signs once callers have had time to learn it.
        </ConfirmButton>
      </div>
      {error && <ProblemNote error={error} onRetry={() => void refetch()} />}
      {isPending && <Reading />}
      {data && (
        <Table
          label="Signing keys"
          items={data}
          keyOf={({ keyId }) => keyId}
          columns={[
            { name: "Key", show: ({ keyId }) => <code>{keyId}</code> },
            { name: "State", show: ({ state }) => <KeyState state={state} /> },
            { name: "Created", show: ({ creationTime }) => <Time at={creationTime} /> },
          ]}
        />
      )}
    </Stack>
  );
}

function KeyState({ state }: Pick<SigningKey, "state">) {
  const [name, tone] = states[state];
  return <Mark tone={tone}>{name}</Mark>;
}
