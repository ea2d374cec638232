import type { Instant } from "../../../src/domain/message.ts";
import { creatorsOf } from "./key-log.ts";
import type { KeyLog } from "./key-log.ts";

/** A call that counts against the limit of its account, besides those that made a message which is known. */
export interface Charge {
  readonly accountId: string;
  readonly from: Instant;
  readonly until: Instant;
  /** False if it may not have happened, or may have made a message that is known. */
  readonly isCertain: boolean;
}

/** A content that replaces another counts like a message. A call that keeps the holder does not. */
export function chargesOf(keyLogs: readonly KeyLog[], apartMs: number): Charge[] {
  return keyLogs.flatMap(({ accountId, calls, messages }) => {
    const creators = new Set(
      messages.map(({ messageId }) => creatorsOf(calls, messageId, apartMs)[0]),
    );
    return calls.flatMap((call): Charge[] => {
      if (creators.has(call) || call.told?.keyOutcome === "kept") return [];
      const { from, until, told } = call;
      return [{ accountId, from, until, isCertain: told !== null }];
    });
  });
}
