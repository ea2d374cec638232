import { Text, TextInput } from "@mantine/core";
import type { Client } from "@postdate/client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { postdate } from "../../api/postdate.ts";
import { useScopes } from "../../api/session.tsx";
import { useChange } from "../../api/use-change.ts";
import { ConfirmButton } from "../../presentation/confirm-button.tsx";
import { FormButton } from "../../presentation/form-button.tsx";
import { inertText } from "../../presentation/inert-text.ts";
import { OneTimeSecret } from "../../presentation/one-time-secret.tsx";
import { Panel } from "../../presentation/panel.tsx";
import { ProblemNote } from "../../presentation/problem-note.tsx";
import { Reading } from "../../presentation/reading.tsx";
import { Table } from "../../presentation/table.tsx";
import { readSpan } from "../../time/span.ts";
import { Time } from "../../time/time.tsx";
import { NewCredential } from "./new-credential.tsx";
import { scopeWords } from "./scope-select.tsx";
import styles from "./access.module.css";

const queryKey = ["clients"];

export function ClientsPanel() {
  const { writeAll } = useScopes();
  const [secret, setSecret] = useState<string | null>(null);
  const { data, error, isPending, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => postdate.clients.list({ signal }),
  });
  const newClient = (
    <NewCredential
      label="New client"
      title="New OAuth client"
      create={async (given) => setSecret((await postdate.clients.create(given)).clientSecret)}
      touches={[queryKey]}
    />
  );
  return (
    <Panel title="OAuth clients" aside={writeAll && newClient}>
      {error && <ProblemNote error={error} onRetry={() => void refetch()} />}
      {isPending && <Reading />}
      {data?.length === 0 && <Text c="dimmed">None.</Text>}
      {data && data.length > 0 && (
        <Table
          label="OAuth clients"
          items={data}
          keyOf={({ clientId }) => clientId}
          columns={[
            { name: "Name", show: ({ name }) => inertText(name) },
            { name: "Id", show: ({ clientId }) => <code>{clientId}</code> },
            {
              name: "May",
              show: ({ scopes }) => scopes.map((scope) => scopeWords[scope]).join(", "),
            },
            { name: "Secret of", show: ({ secretTime }) => <Time at={secretTime} /> },
            ...(writeAll
              ? [
                  {
                    name: "Action",
                    isAtRight: true,
                    show: (client: Client) => (
                      <ClientActions client={client} onSecret={setSecret} />
                    ),
                  },
                ]
              : []),
          ]}
        />
      )}
      <OneTimeSecret
        title="The new secret"
        what="the secret"
        secret={secret}
        onClose={() => setSecret(null)}
      />
    </Panel>
  );
}

interface SecretTaker {
  readonly onSecret: (secret: string) => void;
}

function ClientActions({ client, onSecret }: SecretTaker & { readonly client: Client }) {
  const { clientId, name } = client;
  const [overlap, setOverlap] = useState("1h");
  const overlapMs = readSpan(overlap);
  const isSpan = overlapMs !== undefined && overlapMs >= 0;
  const rotate = useChange({
    async change() {
      const rotation = isSpan ? { overlapMs } : {};
      onSecret((await postdate.clients.rotateSecret(clientId, rotation)).clientSecret);
    },
    touches: [queryKey],
  });
  const remove = useChange({
    change: () => postdate.clients.remove(clientId),
    done: "Removed.",
    touches: [queryKey],
  });
  return (
    <div className={styles["actions"]}>
      <FormButton
        label="New secret"
        name={`New secret for ${inertText(name)}`}
        size="compact-xs"
        title={`New secret for ${inertText(name)}`}
        action="Rotate"
        isReady={isSpan}
        change={rotate}
      >
        <TextInput
          label="The old one works for"
          description="0s, 30m, 1h or 1d"
          data-autofocus
          value={overlap}
          onChange={({ currentTarget }) => setOverlap(currentTarget.value)}
          error={!isSpan && "This is no span."}
        />
      </FormButton>
      <ConfirmButton
        label="Remove"
        name={`Remove ${inertText(name)}`}
        size="compact-xs"
        title="Remove this client?"
        action="Remove the client"
        change={remove}
      >
        {inertText(name)} gets no more access tokens, and those that it has are refused.
      </ConfirmButton>
    </div>
  );
}
