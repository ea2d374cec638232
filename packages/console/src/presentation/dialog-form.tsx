import { Button, Group, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { ProblemNote } from "./problem-note.tsx";

interface DialogFormProps {
  /** The fields. */
  readonly children: ReactNode;
  /** What its button says. */
  readonly action: string;
  readonly isReady: boolean;
  readonly isPending: boolean;
  readonly error: unknown;
  readonly onSubmit: () => void;
  readonly onBack: () => void;
}

/** The fields of a dialog, what went wrong with them, and the two ways out. */
export function DialogForm(props: DialogFormProps) {
  const { children, action, isReady, isPending, error, onSubmit, onBack } = props;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) onSubmit();
      }}
    >
      <Stack gap="sm">
        {children}
        {error != null && <ProblemNote error={error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onBack}>
            Back
          </Button>
          <Button type="submit" loading={isPending} disabled={!isReady}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
