import type { CallOptions, Page, PageQuery, PagedList } from "@postdate/client";
import { useInfiniteQuery } from "@tanstack/react-query";

interface PagesOptions<Item> {
  readonly queryKey: readonly unknown[];
  readonly list: (query: PageQuery, options: CallOptions) => PagedList<Item>;
  readonly pageSize?: number;
  /** How often what is shown is read again. */
  readonly refetchInterval?: number;
  readonly enabled?: boolean;
}

/** Page after page of a list of the API. */
export function usePages<Item>({ queryKey, list, pageSize = 50, ...others }: PagesOptions<Item>) {
  return useInfiniteQuery({
    queryKey,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }): Promise<Page<Item>> => {
      const page = { limit: pageSize, ...(pageParam !== undefined && { pageToken: pageParam }) };
      return list(page, { signal }).page();
    },
    getNextPageParam: ({ nextPageToken }) => nextPageToken ?? undefined,
    ...others,
  });
}

export type Pages<Item> = ReturnType<typeof usePages<Item>>;
