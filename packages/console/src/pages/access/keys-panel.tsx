import { Text } from "@mantine/core";
import type { AccessKey } from "@postdate/client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { postdate } from "../../api/postdate.ts";
import { useScopes, useSession } from "../../api/session.tsx";
import { useChange } from "../../api/use-change.ts";
import { ConfirmButton } from "../../presentation/confirm-button.tsx";
import { inertText } from "../../presentation/inert-text.ts";
import { OneTimeSecret } from "../../presentation/one-time-secret.tsx";
import { Panel } from "../../presentation/panel.tsx";
import { ProblemNote } from "../../presentation/problem-note.tsx";
import { Reading } from "../../presentation/reading.tsx";
import { Table } from "../../presentation/table.tsx";
import { Time } from "../../time/time.tsx";
import { NewCredential } from "./new-credential.tsx";
import { scopeWords } from "./scope-select.tsx";

const queryKey = ["keys"];

export function KeysPanel() {
  const { writeAll } = useScopes();
  const { keyId: ownKeyId } = useSession();
  const { data, error, isPending, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => postdate.keys.list({ signal }),
  });
  return (
    <Panel title="API keys" aside={writeAll && <NewKey />}>
      {error && <ProblemNote error={error} onRetry={() => void refetch()} />}
      {isPending && <Reading />}
      {data?.length === 0 && <Text c="dimmed">None besides the root key.</Text>}
      {data && data.length > 0 && (
        <Table
          label="API keys"
          items={data}
          keyOf={({ keyId }) => keyId}
          columns={[
            {
              name: "Name",
              show: ({ name, keyId }) =>
                `${inertText(name)}${keyId === ownKeyId ? " (this session)" : ""}`,
            },
            { name: "Id", show: ({ keyId }) => <code>{keyId}</code> },
            {
              name: "May",
              show: ({ scopes }) => scopes.map((scope) => scopeWords[scope]).join(", "),
            },
            { name: "Created", show: ({ creationTime }) => <Time at={creationTime} /> },
            ...(writeAll
              ? [
                  {
                    name: "Action",
                    isAtRight: true,
                    show: (key: AccessKey) => (
                      <RevokeKey apiKey={key} isOwn={key.keyId === ownKeyId} />
                    ),
                  },
                ]
              : []),
          ]}
        />
      )}
    </Panel>
  );
}

function NewKey() {
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <>
      <NewCredential
        label="New key"
        title="New API key"
        create={async (given) => setSecret((await postdate.keys.create(given)).key)}
        touches={[queryKey]}
      />
      <OneTimeSecret
        title="The new key"
        what="the key"
        secret={secret}
        onClose={() => setSecret(null)}
      />
    </>
  );
}

interface RevokeKeyProps {
  readonly apiKey: AccessKey;
  readonly isOwn: boolean;
}

function RevokeKey({ apiKey: { keyId, name }, isOwn }: RevokeKeyProps) {
  const revoke = useChange({
    change: () => postdate.keys.revoke(keyId),
    done: "Revoked.",
    touches: [queryKey],
  });
  return (
    <ConfirmButton
      label="Revoke"
      name={`Revoke ${inertText(name)}`}
      size="compact-xs"
      title="Revoke this key?"
      action="Revoke the key"
      change={revoke}
    >
      Whoever uses {inertText(name)} is refused from now on, and its sessions end.
      {isOwn && " This is the key that you signed in with: you will be signed out."}
    </ConfirmButton>
  );
}
