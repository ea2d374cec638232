import type { ReactNode } from "react";
import styles from "./mark.module.css";

export type MarkTone = "good" | "bad" | "wait" | "quiet";

interface MarkProps {
  readonly tone: MarkTone;
  readonly children: ReactNode;
}

/** A state in a word, with a dot in its colour. */
export function Mark({ tone, children }: MarkProps) {
  return (
    <span className={styles["mark"]} data-tone={tone}>
      {children}
    </span>
  );
}
