import { Button } from "@mantine/core";
import { announce } from "../presentation/announcements.tsx";
import { copyText } from "./copy-text.ts";

interface CopyButtonProps {
  readonly text: string;
  /** What is copied, for screen readers and for the note. */
  readonly what: string;
  readonly children?: string;
}

export function CopyButton({ text, what, children = "Copy" }: CopyButtonProps) {
  return (
    <Button
      size="compact-xs"
      variant="default"
      aria-label={`Copy ${what}`}
      onClick={() =>
        void copyText(text).then((copied) =>
          announce(copied ? `Copied ${what}.` : "The browser refused to copy. Select it instead."),
        )
      }
    >
      {children}
    </Button>
  );
}
