import type { ScheduleRequest } from "./message-store.ts";

/** So many characters of payload weigh as much as a message without any. */
const charactersOfWeight = 768;

/** About how many messages without a payload cost as much to keep. */
export function messageWeight({ payload }: Pick<ScheduleRequest, "payload">): number {
  return 1 + Math.trunc(payload.length / charactersOfWeight);
}
