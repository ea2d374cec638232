import type { Receipt as SeenReceipt } from "../history/history.ts";
import type { Receipt } from "./receiver.ts";

/** What a receiver saw, as a history tells it. Which node sent it, the receiver cannot know. */
export function seenReceipts(receipts: readonly Receipt[]): SeenReceipt[] {
  return receipts.map(({ messageId, attempt, headers, body, startedAt, endedAt, status }) => ({
    messageId,
    webhookId: messageId,
    attemptNumber: attempt,
    targetId: String(headers["postdate-target"]),
    body,
    startedAt,
    endedAt,
    status,
    node: null,
  }));
}
