import { Button, Text } from "@mantine/core";
import { ApiError, type Message } from "@postdate/client";
import { useState } from "react";
import { postdate } from "../../api/postdate.ts";
import { useChange } from "../../api/use-change.ts";
import { useShortcuts } from "../../keyboard/shortcuts.ts";
import { ConfirmButton } from "../../presentation/confirm-button.tsx";
import { ProblemNote } from "../../presentation/problem-note.tsx";
import type { JobOrder } from "../../search/job-order.ts";
import { JobDialog } from "../jobs/job-dialog.tsx";
import type { Selection } from "./use-selection.ts";
import styles from "./selection-bar.module.css";

interface SelectionBarProps {
  readonly selection: Selection;
  /** A job for all that match; or, as a text, why there can be none. */
  readonly order: JobOrder | string | undefined;
}

/** What can be done with the selected messages, or with all that match. */
export default function SelectionBar({ selection, order }: SelectionBarProps) {
  const [chosen, choose] = useState<JobOrder | null>(null);
  const { ids, clear } = selection;
  useShortcuts([
    {
      keys: "a",
      what: "Act on all messages that match",
      run: () => typeof order === "object" && choose(order),
    },
  ]);
  const cancel = useEach(ids, "cancelled", (id) => postdate.messages.cancel(id));
  const deliver = useEach(ids, "due now", (id) => postdate.messages.reschedule(id, { in: 0 }));
  const error = cancel.error ?? deliver.error;
  return (
    <div className={styles["bar"]}>
      {ids.size > 0 && (
        <>
          <Text size="sm" fw={600} role="status">
            {ids.size.toLocaleString("en")} selected
          </Text>
          <ConfirmButton
            label="Cancel"
            title={`Cancel ${ids.size} messages?`}
            action="Cancel them"
            change={cancel}
          >
            Those that are not scheduled any more stay as they are.
          </ConfirmButton>
          <ConfirmButton
            label="Deliver now"
            title={`Deliver ${ids.size} messages now?`}
            action="Deliver them"
            change={deliver}
          >
            They are rescheduled to this moment. What was delivered already stays as it is.
          </ConfirmButton>
          <Button size="xs" variant="subtle" onClick={clear}>
            Clear
          </Button>
        </>
      )}
      {typeof order === "object" && (
        <Button size="xs" variant="default" onClick={() => choose(order)}>
          All that match…
        </Button>
      )}
      {typeof order === "string" && (
        <Text size="sm" c="dimmed">
          {order}
        </Text>
      )}
      {error && <ProblemNote error={error} />}
      <JobDialog order={chosen} onClose={() => choose(null)} />
    </div>
  );
}

const atOnce = 5;

/** Changes the messages one by one. Those that have changed meanwhile are counted, not forced. */
function useEach(
  ids: ReadonlySet<string>,
  done: string,
  change: (messageId: string) => Promise<Message>,
) {
  return useChange({
    async change() {
      const waiting = [...ids];
      const counts = { done: 0, left: 0 };
      const work = async (): Promise<void> => {
        for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
          try {
            await change(id);
            counts.done += 1;
          } catch (error) {
            if (!(error instanceof ApiError) || ![404, 409].includes(error.status)) throw error;
            counts.left += 1;
          }
        }
      };
      await Promise.all(Array.from({ length: atOnce }, work));
      return counts;
    },
    done: (counts) =>
      `${counts.done} ${done}${counts.left === 0 ? "" : `, ${counts.left} left as they were`}.`,
    touches: [["found"], ["messages of target"]],
  });
}
