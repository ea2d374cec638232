import { inertText } from "../presentation/inert-text.ts";
import { CopyButton } from "./copy-button.tsx";
import styles from "./command.module.css";

interface CommandProps {
  readonly text: string;
  readonly what: string;
}

/** A command or piece of code, to read and to copy. What is copied is the text as it is. */
export function Command({ text, what }: CommandProps) {
  return (
    <div className={styles["command"]}>
      <pre className={styles["text"]} tabIndex={0} role="region" aria-label={what}>
        {inertText(text)}
      </pre>
      <CopyButton text={text} what={what} />
    </div>
  );
}
