import { encodeBase32 } from "./base32.ts";
import type { Random } from "./random.ts";

/** The id of a new entry in the audit log. */
export function newAuditEntryId(random: Random): string {
  return `aud_${encodeBase32(random.bytes(13)).slice(-20)}`;
}
