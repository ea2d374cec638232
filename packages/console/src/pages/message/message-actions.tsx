import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { Message } from "@postdate/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { postdate } from "../../api/postdate.ts";
import { messageQuery } from "../../api/queries.ts";
import { announce } from "../../presentation/announcements.tsx";
import { ProblemNote } from "../../presentation/problem-note.tsx";
import { readNewTime } from "../../time/new-time.ts";

/** What a message in its state can be asked to do. */
export function MessageActions({ message }: { readonly message: Message }) {
  const { messageId, state } = message;
  const [isCancelling, cancelling] = useDisclosure();
  const [isMoving, moving] = useDisclosure();
  const cancel = useChange(messageId, () => postdate.messages.cancel(messageId), "Cancelled.");
  const deliver = useChange(
    messageId,
    () => postdate.messages.reschedule(messageId, { in: 0 }),
    "It is delivered now.",
  );
  if (state === "DELIVERED") return null;
  return (
    <>
      <Button size="xs" loading={deliver.isPending} onClick={() => deliver.mutate()}>
        Deliver now
      </Button>
      <Button size="xs" variant="default" onClick={moving.open}>
        Reschedule
      </Button>
      {state === "SCHEDULED" && (
        <Button size="xs" variant="default" onClick={cancelling.open}>
          Cancel
        </Button>
      )}
      {deliver.error && <ProblemNote error={deliver.error} />}
      <Modal opened={isCancelling} onClose={cancelling.close} title="Cancel this message?" centered>
        <Stack gap="sm">
          <Text size="sm">It is not delivered. You can schedule it again until it is removed.</Text>
          {cancel.error && <ProblemNote error={cancel.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={cancelling.close}>
              Keep it
            </Button>
            <Button
              loading={cancel.isPending}
              onClick={() => cancel.mutate(undefined, { onSuccess: cancelling.close })}
            >
              Cancel the message
            </Button>
          </Group>
        </Stack>
      </Modal>
      <Modal opened={isMoving} onClose={moving.close} title="Reschedule" centered>
        <Reschedule messageId={messageId} onDone={moving.close} />
      </Modal>
    </>
  );
}

interface RescheduleProps {
  readonly messageId: string;
  readonly onDone: () => void;
}

function Reschedule({ messageId, onDone }: RescheduleProps) {
  const [text, setText] = useState("1h");
  const when = readNewTime(text);
  const move = useChange(
    messageId,
    () => postdate.messages.reschedule(messageId, when!),
    "Rescheduled.",
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (when !== undefined) move.mutate(undefined, { onSuccess: onDone });
      }}
    >
      <Stack gap="sm">
        <TextInput
          label="New time"
          description="A span from now (30s, 5m, 2h, 1d), or a time such as 2026-11-18T09:30:00Z"
          data-autofocus
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          error={when === undefined && "This is neither a span nor a time with its offset."}
        />
        {move.error && <ProblemNote error={move.error} />}
        <Group justify="flex-end">
          <Button type="submit" loading={move.isPending} disabled={when === undefined}>
            Reschedule
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Changes the message, shows it as it is then, and says so. */
function useChange(messageId: string, change: () => Promise<Message>, done: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess(message) {
      queries.setQueryData(messageQuery(messageId).queryKey, message);
      announce(done);
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ["message", messageId] }),
  });
}
