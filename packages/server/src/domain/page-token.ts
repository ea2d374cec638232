import { createHmac, timingSafeEqual } from "node:crypto";
import type { Instant } from "./message.ts";

/** The walk that a token belongs to. A token is valid only in the walk that it was issued for. */
export interface PageWalk {
  readonly accountId: string;
  readonly operation: string;
  readonly targetId: string | null;
  readonly minTime: Instant | null;
  readonly maxTime: Instant | null;
}

/**
 * A token is a MAC and a cursor, which says where the page before ended. The MAC covers the walk, but
 * the token does not contain it. So a token reveals no more than the last item of its page.
 */
export interface PageTokens {
  issue(walk: PageWalk, cursor: string): string;
  /** The cursor; undefined for a token that was not issued for this walk. */
  read(walk: PageWalk, token: string): string | undefined;
}

const macLength = 16;

export function createPageTokens(key: Uint8Array): PageTokens {
  const macOf = (walk: PageWalk, cursor: string): Buffer => {
    const parts = [
      walk.accountId,
      walk.operation,
      walk.targetId,
      walk.minTime,
      walk.maxTime,
      cursor,
    ];
    const mac = createHmac("sha256", key).update(JSON.stringify(parts)).digest();
    return mac.subarray(0, macLength);
  };
  return {
    issue(walk, cursor) {
      return Buffer.concat([macOf(walk, cursor), Buffer.from(cursor)]).toString("base64url");
    },
    read(walk, token) {
      const bytes = Buffer.from(token, "base64url");
      if (bytes.length < macLength) return undefined;
      const cursor = bytes.toString("utf8", macLength);
      if (!timingSafeEqual(bytes.subarray(0, macLength), macOf(walk, cursor))) return undefined;
      // The decoder is lenient about padding, stray bits and alphabets, but a token has only one
      // spelling.
      return bytes.toString("base64url") === token ? cursor : undefined;
    },
  };
}
