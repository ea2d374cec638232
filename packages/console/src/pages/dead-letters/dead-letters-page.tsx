import { Button, Text } from "@mantine/core";
import type { DeadLetterGroup } from "@postdate/client";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { deadLetterGroupsQuery } from "../../api/queries.ts";
import { useScopes } from "../../api/session.tsx";
import { Page } from "../../presentation/page.tsx";
import { ProblemNote } from "../../presentation/problem-note.tsx";
import { Reading } from "../../presentation/reading.tsx";
import { reasonText } from "../../presentation/reason-text.ts";
import type { JobOrder } from "../../search/job-order.ts";
import { Time } from "../../time/time.tsx";
import { JobDialog } from "../jobs/job-dialog.tsx";
import { redriveOrder } from "./redrive-order.ts";
import styles from "./dead-letters-page.module.css";

/** What could not be delivered, by what it has in common. */
export default function DeadLettersPage() {
  const { writeMessages } = useScopes();
  const { data, error, refetch, isPending } = useQuery(deadLetterGroupsQuery());
  const [chosen, choose] = useState<JobOrder | null>(null);
  return (
    <Page title="Dead letters">
      {error && <ProblemNote error={error} onRetry={() => void refetch()} />}
      {isPending && <Reading />}
      {data?.items.length === 0 && (
        <Text c="dimmed">None. Everything was delivered, waits, or was cancelled.</Text>
      )}
      {data && data.items.length > 0 && (
        <ul className={styles["groups"]} data-rows>
          {data.items.map((group) => (
            <li key={groupId(group)} className={styles["group"]}>
              <div className={styles["count"]}>
                {group.count.toLocaleString("en")}
                {data.exact ? "" : "+"}
              </div>
              <div className={styles["what"]}>
                <div>
                  <Link to="/targets/$targetId" params={{ targetId: group.targetId }}>
                    {group.targetId}
                  </Link>{" "}
                  {reasonText(group.deadLetterReason, group.lastStatusCode)}
                </div>
                <Text size="sm" c="dimmed">
                  Latest <Time at={group.lastTime} isRelative />,{" "}
                  <Link to="/messages/$messageId" params={{ messageId: group.sample.messageId }}>
                    look at it
                  </Link>
                </Text>
              </div>
              {writeMessages && (
                <Button size="xs" variant="default" onClick={() => choose(redriveOrder(group))}>
                  Redrive…
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {data && !data.exact && (
        <Text size="sm" c="dimmed">
          Only the newest were looked at: there may be more, and older ones.
        </Text>
      )}
      <JobDialog order={chosen} onClose={() => choose(null)} />
    </Page>
  );
}

function groupId({ targetId, deadLetterReason, lastStatusCode }: DeadLetterGroup): string {
  return `${targetId} ${deadLetterReason} ${lastStatusCode}`;
}
