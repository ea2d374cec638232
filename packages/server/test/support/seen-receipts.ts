import type { Receipt as SeenReceipt } from "../history/history.ts";
import type { Receipt } from "./receiver.ts";

/** Receipts in the form of a history. The receiver cannot know which node sent them. */
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
