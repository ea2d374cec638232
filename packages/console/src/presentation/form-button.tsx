import { Button, Modal } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { ReactNode } from "react";
import { DialogForm } from "./dialog-form.tsx";

interface Change {
  readonly isPending: boolean;
  readonly error: unknown;
  mutate(given: undefined, options: { onSuccess: () => void }): void;
}

interface FormButtonProps {
  readonly label: string;
  readonly title: string;
  /** The fields. */
  readonly children: ReactNode;
  readonly action: string;
  readonly isReady: boolean;
  readonly change: Change;
  /** Called before the fields are shown, to fill them. */
  readonly onOpen?: () => void;
  readonly name?: string;
  readonly size?: "xs" | "compact-xs";
}

/** A button that opens a dialog with fields, and does something with them. */
export function FormButton(props: FormButtonProps) {
  const { label, title, children, action, isReady, change, onOpen, name, size = "xs" } = props;
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Button
        size={size}
        variant="default"
        aria-label={name}
        onClick={() => {
          onOpen?.();
          open();
        }}
      >
        {label}
      </Button>
      <Modal opened={isOpen} onClose={close} title={title} centered>
        <DialogForm
          action={action}
          isReady={isReady}
          isPending={change.isPending}
          error={change.error}
          onSubmit={() => change.mutate(undefined, { onSuccess: close })}
          onBack={close}
        >
          {children}
        </DialogForm>
      </Modal>
    </>
  );
}
