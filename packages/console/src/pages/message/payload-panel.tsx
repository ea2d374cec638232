import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { Message } from "@postdate/client";
import { useQuery } from "@tanstack/react-query";
import { postdate } from "../../api/postdate.ts";
import { Command } from "../../copy/command.tsx";
import { messageRecipes } from "../../copy/message-recipes.ts";
import { PayloadView } from "../../payload/payload-view.tsx";
import { serverUrl } from "../../place.ts";
import { Panel } from "../../presentation/panel.tsx";
import { ProblemNote } from "../../presentation/problem-note.tsx";

/** The payload may be large or confidential, so it is read only when somebody opens it. */
export function PayloadPanel({ message }: { readonly message: Message }) {
  const [isOpen, open] = useDisclosure();
  const [isCopying, copying] = useDisclosure();
  const payload = useQuery({
    queryKey: ["payload", message.messageId],
    queryFn: ({ signal }) => postdate.messages.payload(message.messageId, { signal }),
    enabled: isOpen || isCopying,
    staleTime: 60_000,
    gcTime: 0,
  });
  return (
    <Panel
      title="Payload"
      aside={
        <Group gap="xs">
          {!isOpen && (
            <Button size="compact-sm" variant="default" onClick={open.open}>
              Open
            </Button>
          )}
          <Button size="compact-sm" variant="default" onClick={copying.open}>
            Copy message as…
          </Button>
        </Group>
      }
    >
      {!isOpen && <p>It is read when you open it.</p>}
      {payload.error && (
        <ProblemNote error={payload.error} onRetry={() => void payload.refetch()} />
      )}
      {isOpen && payload.data != null && <PayloadView payload={payload.data} />}
      <Modal opened={isCopying} onClose={copying.close} title="Schedule it again" size="lg">
        <Stack gap="sm">
          {message.headers && (
            <Text size="sm">The values of its headers are secrets: add them yourself.</Text>
          )}
          {payload.data != null &&
            messageRecipes(message, payload.data, serverUrl).map(({ name, text }) => (
              <div key={name}>
                <h3>{name}</h3>
                <Command text={text} what={`as ${name}`} />
              </div>
            ))}
        </Stack>
      </Modal>
    </Panel>
  );
}
