import type { Message } from "@postdate/client";
import { Link } from "@tanstack/react-router";
import { inertText } from "../../presentation/inert-text.ts";
import { StateMark } from "../../presentation/state-mark.tsx";
import { Time } from "../../time/time.tsx";
import styles from "./message-list.module.css";

interface MessageRowProps {
  readonly message: Message;
  readonly index: number;
}

export function MessageRow({ message, index }: MessageRowProps) {
  const { messageId, targetId, state, labels = {} } = message;
  return (
    <Link
      to="/messages/$messageId"
      params={{ messageId }}
      className={styles["link"]}
      data-index={index}
    >
      <span className={styles["id"]}>{messageId}</span>
      <span className={styles["cell"]}>{targetId}</span>
      <StateMark state={state} />
      <Time at={momentOf(message)} />
      <span className={styles["labels"]}>
        {Object.entries(labels)
          .map(([name, value]) => `${inertText(name)}=${inertText(value)}`)
          .join("  ")}
      </span>
    </Link>
  );
}

/** When it is due, or when it ended. */
function momentOf(message: Message): string {
  return (
    message.nextDeliveryTime ??
    message.deadLetterTime ??
    message.cancellationTime ??
    message.lastDeliveryTime ??
    message.originalDeliveryTime
  );
}
