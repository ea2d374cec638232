import { isMatched } from "../../../../domain/job-filter.ts";
import type { JobOrder } from "../../../../domain/job.ts";
import type { Instant } from "../../../../domain/message.ts";
import type { StoredMessage } from "../../rows/message-columns.ts";
import type { Context } from "../context.ts";

/** Whether a job that was created at this time would change this message now. */
export function matchMessages({ db, clock }: Context) {
  const selectStatus = db.prepare(
    "SELECT status_code FROM attempts WHERE message_key = ? ORDER BY number DESC LIMIT 1",
  );
  return (order: JobOrder, jobTime: Instant, { messageKey, message }: StoredMessage): boolean => {
    const { expirationTime } = message;
    if (expirationTime !== null && expirationTime <= clock.now()) return false;
    return isMatched(order, jobTime, message, () => {
      return (selectStatus.get(messageKey)?.["status_code"] ?? null) as number | null;
    });
  };
}
