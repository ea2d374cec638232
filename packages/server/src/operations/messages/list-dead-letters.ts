import type { Caller } from "../../domain/access.ts";
import type { Message } from "../../domain/message.ts";
import type { PageTokens } from "../../domain/page-token.ts";
import type { Store } from "../../storage/store.ts";
import type { Page } from "../paging/list-page.ts";
import { listMessages } from "./message-list.ts";
import type { MessageListQuery } from "./message-list.ts";

export interface ListDeadLettersOptions {
  readonly store: Pick<Store, "listDeadLetters">;
  readonly pageTokens: PageTokens;
}

export function listDeadLetters(
  { store, pageTokens }: ListDeadLettersOptions,
  caller: Caller,
  targetId: string,
  query: MessageListQuery,
): Promise<Page<Message>> {
  const list = {
    pageTokens,
    operation: "listDeadLetters",
    find: store.listDeadLetters.bind(store),
    timeOf: (message: Message) => message.deadLetterTime,
  };
  return listMessages(list, caller, targetId, query);
}
