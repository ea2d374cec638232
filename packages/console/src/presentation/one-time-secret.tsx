import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { Command } from "../copy/command.tsx";

interface OneTimeSecretProps {
  readonly title: string;
  /** What it is, for the button that copies it. */
  readonly what: string;
  /** Null: the dialog is closed. */
  readonly secret: string | null;
  readonly onClose: () => void;
}

/** A secret that the server shows once. It stays until somebody closes it on purpose. */
export function OneTimeSecret({ title, what, secret, onClose }: OneTimeSecretProps) {
  return (
    <Modal
      opened={secret !== null}
      onClose={onClose}
      title={title}
      centered
      closeOnClickOutside={false}
    >
      <Stack gap="sm">
        <Text size="sm">Copy it now. It is shown this once, and nobody can show it again.</Text>
        {secret !== null && <Command text={secret} what={what} />}
        <Group justify="flex-end">
          <Button onClick={onClose}>I have it</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
