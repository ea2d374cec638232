import type { ScheduleRequest } from "./message-store.ts";

/** A payload of this many characters weighs as much as a message without one. */
const charactersOfWeight = 768;

/** How many messages without a payload cost about as much to store. */
export function messageWeight({ payload }: Pick<ScheduleRequest, "payload">): number {
  return 1 + Math.trunc(payload.length / charactersOfWeight);
}
