import type { Random } from "../../platform/random.ts";
import type { KeyMarks } from "./key-marks.ts";

export const sessionPrefix = "pdc_";

/** 256 random bits, and the mark that tells ids of this service from made-up ones. */
export const sessionIdPattern = /^pdc_[\w-]{43}[\w-]{12}$/;

export function generateSessionId(random: Random, keyMarks: Pick<KeyMarks, "of">): string {
  const id = sessionPrefix + random.bytes(32).toString("base64url");
  return id + keyMarks.of(id);
}
