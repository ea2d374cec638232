import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { targetPageQuery } from "../../api/queries.ts";
import { Page } from "../../presentation/page.tsx";
import { ProblemNote } from "../../presentation/problem-note.tsx";
import { Reading } from "../../presentation/reading.tsx";
import { TargetCard } from "./target-card.tsx";
import styles from "./targets.module.css";

/** Where messages go, and how it goes there. */
export default function TargetsPage() {
  const { data, error, refetch, isPending } = useQuery(targetPageQuery());
  return (
    <Page title="Targets">
      {error && <ProblemNote error={error} onRetry={() => void refetch()} />}
      {isPending && <Reading />}
      {data?.count === 0 && (
        <Text c="dimmed">
          There is none yet: <code>npx postdate target add https://example.com/hooks</code> makes
          one.
        </Text>
      )}
      <ul className={styles["cards"]}>
        {data?.items.map((target) => (
          <li key={target.targetId}>
            <TargetCard target={target} />
          </li>
        ))}
      </ul>
      {data?.nextPageToken != null && (
        <Text size="sm" c="dimmed">
          These are the first {data.count}. Press ⌘K and write the name of another one.
        </Text>
      )}
    </Page>
  );
}
