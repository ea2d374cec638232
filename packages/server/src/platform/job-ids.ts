import { encodeBase32 } from "./base32.ts";
import { createMessageIdGenerator } from "./message-ids.ts";
import type { GeneratorOptions } from "./message-ids.ts";

const form = /^job_[0-7][0-9a-hjkmnp-tv-z]{25}$/;

/** Ids of jobs are made as those of messages, and sort by time like them. */
export function createJobIds(options: Omit<GeneratorOptions, "after">): () => string {
  const ids = createMessageIdGenerator({ ...options, after: 0 });
  return () => `job_${encodeBase32(ids.next().bytes)}`;
}

/** Whether a job could have this id. */
export function isJobId(text: string): boolean {
  return form.test(text);
}
