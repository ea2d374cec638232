import type { Message, Page } from "@postdate/client";
import { useInfiniteQuery } from "@tanstack/react-query";
import { postdate } from "../../api/postdate.ts";
import type { Search } from "../../search/qualifiers.ts";

const pageSize = 100;

type FoundPage = Page<Message> & { searchedUntil?: string | null };

/** Page after page of what a search finds. Nothing is counted: nobody knows how many there are. */
export function useFoundMessages(text: string, search: Search) {
  return useInfiniteQuery({
    queryKey: ["found", text, search],
    enabled: ["find", "due", "dead"].includes(search.kind),
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }): Promise<FoundPage> => {
      const page = { limit: pageSize, ...(pageParam !== undefined && { pageToken: pageParam }) };
      if (search.kind === "due") {
        const { targetId, range } = search;
        return postdate.targets.scheduled(targetId, { ...range, ...page }, { signal }).page();
      }
      if (search.kind === "dead") {
        return postdate.targets.deadLetters(search.targetId, page, { signal }).page();
      }
      const query = search.kind === "find" ? search.query : {};
      return postdate.messages.find({ ...query, ...page }, { signal }).page();
    },
    getNextPageParam: ({ nextPageToken }) => nextPageToken ?? undefined,
    staleTime: 10_000,
  });
}

export type FoundMessages = ReturnType<typeof useFoundMessages>;
