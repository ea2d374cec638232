import type { Caller } from "../../domain/access.ts";
import type { Message } from "../../domain/message.ts";
import type { PageTokens } from "../../domain/page-token.ts";
import type { Store } from "../../storage/store.ts";
import type { Page } from "../paging/list-page.ts";
import { listMessages } from "./message-list.ts";
import type { MessageListQuery } from "./message-list.ts";

export interface ListScheduledOptions {
  readonly store: Pick<Store, "listScheduledMessages">;
  readonly pageTokens: PageTokens;
}

export function listScheduledMessages(
  { store, pageTokens }: ListScheduledOptions,
  caller: Caller,
  targetId: string,
  query: MessageListQuery,
): Promise<Page<Message>> {
  const list = {
    pageTokens,
    operation: "listScheduledMessages",
    find: store.listScheduledMessages.bind(store),
    timeOf: (message: Message) => message.nextDeliveryTime,
  };
  return listMessages(list, caller, targetId, query);
}
