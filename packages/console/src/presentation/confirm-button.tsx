import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { ReactNode } from "react";
import { ProblemNote } from "./problem-note.tsx";

interface Change {
  readonly isPending: boolean;
  readonly error: unknown;
  mutate(given: undefined, options: { onSuccess: () => void }): void;
}

interface ConfirmButtonProps {
  /** On the button that asks. */
  readonly label: string;
  /** The question. */
  readonly title: string;
  /** What will happen. */
  readonly children: ReactNode;
  /** On the button that does it. */
  readonly action: string;
  readonly change: Change;
  /** Names the button where several have the same label. */
  readonly name?: string;
  readonly size?: "xs" | "compact-xs";
}

/** For what cannot be taken back: asks before it happens. */
export function ConfirmButton(props: ConfirmButtonProps) {
  const { label, title, children, action, change, name, size = "xs" } = props;
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Button size={size} variant="default" onClick={open} aria-label={name}>
        {label}
      </Button>
      <Modal opened={isOpen} onClose={close} title={title} centered>
        <Stack gap="sm">
          <Text size="sm" component="div">
            {children}
          </Text>
          {change.error != null && <ProblemNote error={change.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              Back
            </Button>
            <Button
              loading={change.isPending}
              onClick={() => change.mutate(undefined, { onSuccess: close })}
            >
              {action}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
