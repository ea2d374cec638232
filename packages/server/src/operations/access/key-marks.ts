import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * A key ends with a mark that only the service can make. The mark tells issued keys from made-up ones
 * without a store call. It gives no access: the service looks up a marked key like any other. Keys that an
 * operator chose, and keys from before there were marks, have none.
 */
export interface KeyMarks {
  of(unmarked: string): string;
  isMarked(key: string): boolean;
}

const markBytes = 9;
const markLength = 12;

export function createKeyMarks(secret: Uint8Array): KeyMarks {
  const digest = (unmarked: string): Buffer =>
    createHmac("sha256", secret).update(unmarked).digest().subarray(0, markBytes);
  return {
    of: (unmarked) => digest(unmarked).toString("base64url"),
    isMarked(key) {
      const given = Buffer.from(key.slice(-markLength), "base64url");
      return (
        given.length === markBytes && timingSafeEqual(given, digest(key.slice(0, -markLength)))
      );
    },
  };
}
