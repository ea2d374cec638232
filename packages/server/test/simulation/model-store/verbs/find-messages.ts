import {
  isFound,
  mostLabelledLookedAt,
  mostMessagesLookedAt,
} from "../../../../src/domain/message-search.ts";
import type { MessageSearch } from "../../../../src/domain/message-search.ts";
import { searchTexts } from "../../../../src/domain/message-options.ts";
import type { Message } from "../../../../src/domain/message.ts";
import { parseMessageId, timeOfSequence } from "../../../../src/platform/message-ids.ts";
import type { FindRequest, FindResult } from "../../../../src/storage/store.ts";
import type { Context } from "../database-state.ts";
import { hasExpired } from "../message-table.ts";
import type { StoredMessage } from "../message-table.ts";

export function findMessages({ state }: Context) {
  const { clock, messages, targets } = state;

  /** With a label only the account's messages with it, otherwise those of all accounts. */
  function toLookAt({ accountId, labels, idTimes, order, after }: FindRequest): StoredMessage[] {
    const [label] = labels;
    const isInTime = ({ messageId }: Message): boolean => {
      const time = timeOfSequence(parseMessageId(messageId)!.sequence);
      return time >= (idTimes.from ?? -Infinity) && time <= (idTimes.until ?? Infinity);
    };
    return [...messages.all()]
      .filter(({ message }) => isInTime(message) && isBehind(order, message.messageId, after))
      .filter(
        (stored) =>
          label === undefined ||
          (stored.accountId === accountId && searchTexts(stored.message.options).includes(label)),
      )
      .toSorted((one, other) =>
        isBehind(order, one.message.messageId, other.message.messageId) ? 1 : -1,
      );
  }

  return (request: FindRequest): FindResult => {
    const { accountId, targetId, labels, limit } = request;
    if (targetId !== null && targets.find({ accountId, targetId }) === undefined) {
      return { messages: [], lookedUntil: null };
    }
    const now = clock.now();
    const behind = toLookAt(request);
    const most = labels.length === 0 ? mostMessagesLookedAt : mostLabelledLookedAt;
    const found: Message[] = [];
    for (const stored of behind.slice(0, most)) {
      const { message } = stored;
      const isOwn = stored.accountId === accountId && !hasExpired(stored, now);
      if (isOwn && isFound(request, message)) found.push(message);
      if (found.length >= limit) return { messages: found, lookedUntil: message.messageId };
    }
    const last = behind.length < most ? undefined : behind[most - 1];
    return { messages: found, lookedUntil: last?.message.messageId ?? null };
  };
}

function isBehind(order: MessageSearch["order"], messageId: string, after: string | null): boolean {
  if (after === null) return true;
  return order === "newest" ? messageId < after : messageId > after;
}
