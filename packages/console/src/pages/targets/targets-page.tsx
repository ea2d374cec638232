import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { postdate } from "../../api/postdate.ts";
import { targetStatsQuery } from "../../api/queries.ts";
import { usePages } from "../../api/use-pages.ts";
import { MoreButton } from "../../presentation/more-button.tsx";
import { Page } from "../../presentation/page.tsx";
import { ProblemNote } from "../../presentation/problem-note.tsx";
import { Reading } from "../../presentation/reading.tsx";
import { TargetCard } from "./target-card.tsx";
import styles from "./targets.module.css";

/** Where messages go, and how it goes there. */
export default function TargetsPage() {
  const pages = usePages({
    queryKey: ["targets in pages"],
    list: (query, options) => postdate.targets.list(query, options),
    pageSize: 100,
    refetchInterval: 15_000,
  });
  const { data, error, refetch, isPending } = pages;
  const { data: stats } = useQuery(targetStatsQuery());
  const targets = data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Page title="Targets">
      {error && <ProblemNote error={error} onRetry={() => void refetch()} />}
      {isPending && <Reading />}
      {data && targets.length === 0 && (
        <Text c="dimmed">
          There is none yet: <code>npx postdate target add https://example.com/hooks</code> makes
          one.
        </Text>
      )}
      <ul className={styles["cards"]} data-rows>
        {targets.map((target) => (
          <li key={target.targetId}>
            <TargetCard target={target} stats={stats?.found.get(target.targetId)} />
          </li>
        ))}
      </ul>
      <MoreButton of={pages} />
    </Page>
  );
}
