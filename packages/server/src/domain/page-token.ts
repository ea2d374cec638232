import { createHmac, timingSafeEqual } from "node:crypto";
import type { Instant } from "./message.ts";

/** The walk that a token belongs to. A token is good for exactly the walk it was issued in. */
export interface PageWalk {
  readonly accountId: string;
  readonly operation: string;
  readonly targetId: string | null;
  readonly minTime: Instant | null;
  readonly maxTime: Instant | null;
}

/**
 * A token is a MAC and the cursor: where the page before ended. The walk itself is not in it, only
 * under the MAC, so a token tells no more than the last item of the page it came with.
 */
export interface PageTokens {
  issue(walk: PageWalk, cursor: string): string;
  /** The cursor; undefined for a token that was not issued in this walk. */
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
      // Decoding is lenient about padding, stray bits and alphabets; a token has one spelling only.
      return bytes.toString("base64url") === token ? cursor : undefined;
    },
  };
}
