import { Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { postdate } from "../../api/postdate.ts";
import { targetQuery } from "../../api/queries.ts";
import { useChange } from "../../api/use-change.ts";
import { FormButton } from "../../presentation/form-button.tsx";
import { OneTimeSecret } from "../../presentation/one-time-secret.tsx";
import { Panel } from "../../presentation/panel.tsx";
import { readSpan } from "../../time/span.ts";

/** The secret that signs deliveries. It is shown when it is made, and never again. */
export function SecretTab({ targetId }: { readonly targetId: string }) {
  const [overlap, setOverlap] = useState("1d");
  const [secret, setSecret] = useState<string | null>(null);
  const overlapMs = readSpan(overlap);
  const isSpan = overlapMs !== undefined && overlapMs >= 0;
  const rotate = useChange({
    async change() {
      const target = await postdate.targets.rotateSecret(targetId, isSpan ? { overlapMs } : {});
      setSecret(target.secret);
    },
    touches: [targetQuery(targetId).queryKey],
  });
  return (
    <Panel title="Signing secret">
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          Receivers verify deliveries with it. A new one takes the place of the old; for a while
          deliveries are signed with both, so that receivers can change over.
        </Text>
        <FormButton
          label="Rotate the secret"
          title={`Rotate the secret of ${targetId}`}
          action="Rotate"
          isReady={isSpan}
          change={rotate}
        >
          <TextInput
            label="Sign with both for"
            description="0s, 30m, 1h or 1d"
            data-autofocus
            value={overlap}
            onChange={({ currentTarget }) => setOverlap(currentTarget.value)}
            error={!isSpan && "This is no span."}
          />
        </FormButton>
      </Stack>
      <OneTimeSecret
        title="The new secret"
        what="the secret"
        secret={secret}
        onClose={() => setSecret(null)}
      />
    </Panel>
  );
}
