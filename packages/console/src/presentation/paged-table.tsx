import { Text } from "@mantine/core";
import type { Pages } from "../api/use-pages.ts";
import { MoreButton } from "./more-button.tsx";
import { ProblemNote } from "./problem-note.tsx";
import { Reading } from "./reading.tsx";
import { Table, type Column } from "./table.tsx";

interface PagedTableProps<Item> {
  readonly found: Pages<Item>;
  readonly label: string;
  readonly columns: readonly Column<Item>[];
  readonly keyOf: (item: Item) => string;
  /** Instead of an empty table. */
  readonly ifEmpty: string;
}

/** A list that is read page by page, as far as somebody wants to see it. */
export function PagedTable<Item>({ found, ifEmpty, ...table }: PagedTableProps<Item>) {
  const { data, error, isPending, hasNextPage, refetch } = found;
  const items = data?.pages.flatMap((page) => page.items) ?? [];
  if (isPending) return <Reading />;
  return (
    <>
      {error && <ProblemNote error={error} onRetry={() => void refetch()} />}
      {data && items.length === 0 && !hasNextPage && <Text c="dimmed">{ifEmpty}</Text>}
      {items.length > 0 && <Table {...table} items={items} />}
      <MoreButton of={found} />
    </>
  );
}
