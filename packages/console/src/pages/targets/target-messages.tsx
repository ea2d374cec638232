import type { Message, Page } from "@postdate/client";
import { useInfiniteQuery } from "@tanstack/react-query";
import { postdate } from "../../api/postdate.ts";
import { forDead, forScheduled } from "../../search/job-order.ts";
import { MessageList } from "../messages/message-list.tsx";

interface TargetMessagesProps {
  readonly targetId: string;
  readonly list: "scheduled" | "deadLetters";
}

const actionsFor = { scheduled: forScheduled, deadLetters: forDead };

/** What waits for a target, the next one first; or what it did not take. */
export default function TargetMessages({ targetId, list }: TargetMessagesProps) {
  const found = useInfiniteQuery({
    queryKey: ["messages of target", targetId, list],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }): Promise<Page<Message>> => {
      const page = { limit: 100, ...(pageParam !== undefined && { pageToken: pageParam }) };
      return postdate.targets[list](targetId, page, { signal }).page();
    },
    getNextPageParam: ({ nextPageToken }) => nextPageToken ?? undefined,
  });
  return <MessageList found={found} order={{ filter: { targetId }, actions: actionsFor[list] }} />;
}
