import { Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useVirtualizer } from "@tanstack/react-virtual";
import { lazy, Suspense, useEffect, useMemo, useRef } from "react";
import { useScopes } from "../../api/session.tsx";
import { useShortcuts } from "../../keyboard/shortcuts.ts";
import { MoreButton } from "../../presentation/more-button.tsx";
import { ProblemNote } from "../../presentation/problem-note.tsx";
import { Reading } from "../../presentation/reading.tsx";
import type { JobOrder } from "../../search/job-order.ts";
import { Time } from "../../time/time.tsx";
import { MessageRow } from "./message-row.tsx";
import type { FoundMessages } from "./use-found-messages.ts";
import { useSelection } from "./use-selection.ts";
import styles from "./message-list.module.css";

const SelectionBar = lazy(() => import("./selection-bar.tsx"));

/** Each is a request that the server answers in milliseconds. */
const mostEmptyPages = 20;
const rowHeight = { wide: 42, narrow: 66 };

interface MessageListProps {
  readonly found: FoundMessages;
  /** A job for all that match; or, as a text, why there can be none. */
  readonly order?: JobOrder | string;
}

/** Draws only the rows that are seen, however many were read. */
export function MessageList({ found, order }: MessageListProps) {
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage } = found;
  const isNarrow = useMediaQuery("(max-width: 48em)") ?? false;
  const { writeMessages } = useScopes();
  const messages = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data]);
  const ids = useMemo(() => messages.map(({ messageId }) => messageId), [messages]);
  const selection = useSelection(ids);
  const scroller = useRef<HTMLDivElement>(null);
  const height = isNarrow ? rowHeight.narrow : rowHeight.wide;
  const rows = useVirtualizer({
    count: messages.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 12,
  });
  useEffect(() => rows.measure(), [rows, height]);

  const focused = (): string | null => document.activeElement?.getAttribute("data-index") ?? null;
  const move = (by: number): void => {
    const links = [...(scroller.current?.querySelectorAll<HTMLElement>("a[data-index]") ?? [])];
    const at = Number(focused() ?? (by > 0 ? -1 : 1));
    const next = Math.min(Math.max(at + by, 0), messages.length - 1);
    rows.scrollToIndex(next);
    links.find((link) => link.dataset["index"] === String(next))?.focus();
  };
  useShortcuts([
    { keys: "j", what: "Next row", run: () => move(1) },
    { keys: "k", what: "Previous row", run: () => move(-1) },
    {
      keys: "x",
      what: "Select the row",
      run: () => writeMessages && focused() !== null && selection.toggle(Number(focused()), false),
    },
  ]);

  const drawn = rows.getVirtualItems();
  const reachedEnd = (drawn.at(-1)?.index ?? -1) >= messages.length - 1;
  const lastPage = data?.pages.at(-1);
  // A page without any message has searched a part of the time. After some of them the reader decides whether to go on.
  const lastPages = data?.pages.slice(-mostEmptyPages) ?? [];
  const foundLately = lastPages.length < mostEmptyPages || lastPages.some(({ count }) => count > 0);
  const goesOnByItself = hasNextPage && foundLately;
  useEffect(() => {
    if (reachedEnd && goesOnByItself && !isFetchingNextPage && !error) void fetchNextPage();
  }, [reachedEnd, goesOnByItself, isFetchingNextPage, error, fetchNextPage]);

  if (error && !data) return <ProblemNote error={error} onRetry={() => void found.refetch()} />;
  if (isPending) return <Reading height={260} />;
  const searchedUntil = lastPage?.searchedUntil ?? null;
  return (
    <div>
      {writeMessages && (messages.length > 0 || (hasNextPage && typeof order === "object")) && (
        <Suspense fallback={<div className={styles["bar"]} data-reading />}>
          <SelectionBar selection={selection} order={order} />
        </Suspense>
      )}
      {messages.length > 0 && (
        <div className={styles["frame"]}>
          <div className={styles["head"]} data-selectable={writeMessages} aria-hidden="true">
            <span>Message</span>
            <span>Target</span>
            <span>State</span>
            <span>Due or ended</span>
            <span>Labels</span>
          </div>
          <div ref={scroller} className={styles["scroller"]}>
            <ul className={styles["rows"]} style={{ height: rows.getTotalSize() }}>
              {drawn.map(({ index, start, size }) => (
                <li
                  key={messages[index]!.messageId}
                  className={styles["row"]}
                  style={{ height: size, transform: `translateY(${start}px)` }}
                >
                  {writeMessages && (
                    <input
                      type="checkbox"
                      className={styles["check"]}
                      aria-label={`Select ${ids[index]}`}
                      data-index={index}
                      checked={selection.ids.has(ids[index]!)}
                      onChange={({ nativeEvent }) =>
                        selection.toggle(index, (nativeEvent as PointerEvent).shiftKey)
                      }
                    />
                  )}
                  <MessageRow message={messages[index]!} index={index} />
                </li>
              ))}
            </ul>
          </div>
        </div>
      )}
      <div className={styles["foot"]}>
        {error && <ProblemNote error={error} onRetry={() => void fetchNextPage()} />}
        {messages.length === 0 && !hasNextPage && <Text c="dimmed">No message matches.</Text>}
        {hasNextPage && searchedUntil !== null && (
          <Text size="sm" c="dimmed">
            Searched until <Time at={searchedUntil} />.
          </Text>
        )}
        <MoreButton of={found}>Go on</MoreButton>
        {!hasNextPage && messages.length > 0 && (
          <Text size="sm" c="dimmed">
            That is all: {messages.length.toLocaleString("en")} found.
          </Text>
        )}
      </div>
    </div>
  );
}
