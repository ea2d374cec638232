import { createCipheriv, createHmac, timingSafeEqual } from "node:crypto";
import type { Instant } from "./message.ts";

/** The walk that a token belongs to. A token is valid only in the walk that it was issued for. */
export interface PageWalk {
  readonly accountId: string;
  readonly operation: string;
  readonly targetId: string | null;
  readonly minTime: Instant | null;
  readonly maxTime: Instant | null;
  /**
   * What else a search looks for, as text. A search may end at a message of another account, so its tokens hide
   * their cursor.
   */
  readonly search?: string;
}

/**
 * A token is a MAC and a cursor, which says where the page before ended. The MAC covers the walk, but
 * the token does not contain it. So a token reveals no more than the last item of its page, and the token of
 * a search not even that.
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
      ...(walk.search === undefined ? [] : [walk.search]),
    ];
    const mac = createHmac("sha256", key).update(JSON.stringify(parts)).digest();
    return mac.subarray(0, macLength);
  };
  const cipherKey = createHmac("sha256", key).update("hidden cursors").digest();
  /**
   * Hides the cursor of a search, and shows a hidden one: the same operation does both. The MAC is different for
   * each cursor, so no two of them are hidden with the same bits.
   */
  const hide = (walk: PageWalk, mac: Buffer, bytes: Buffer): Buffer =>
    walk.search === undefined ? bytes : createCipheriv("aes-256-ctr", cipherKey, mac).update(bytes);
  return {
    issue(walk, cursor) {
      const mac = macOf(walk, cursor);
      return Buffer.concat([mac, hide(walk, mac, Buffer.from(cursor))]).toString("base64url");
    },
    read(walk, token) {
      const bytes = Buffer.from(token, "base64url");
      if (bytes.length < macLength) return undefined;
      const mac = bytes.subarray(0, macLength);
      const cursor = hide(walk, mac, bytes.subarray(macLength)).toString("utf8");
      if (!timingSafeEqual(mac, macOf(walk, cursor))) return undefined;
      // The decoder is lenient about padding, stray bits and alphabets, but a token has only one
      // spelling.
      return bytes.toString("base64url") === token ? cursor : undefined;
    },
  };
}
