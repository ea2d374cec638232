import { isDeepStrictEqual } from "node:util";
import type { ScheduleDefinition } from "../../domain/schedules/schedule.ts";
import type { SecretBox } from "../../platform/secret-box.ts";
import { openHeaders } from "../../targets/message-headers.ts";

/** Whether a schedule is what a caller asks for already. Header values are sealed anew each time: opened, they compare. */
export function isDefinedAs(
  schedule: ScheduleDefinition,
  definition: ScheduleDefinition,
  secretBox: SecretBox,
): boolean {
  const opened = ({ message }: ScheduleDefinition): unknown =>
    message?.headers === undefined
      ? message
      : { ...message, headers: openHeaders(secretBox, message.headers) };
  return Object.keys(definition).every((name) => {
    if (name === "message") return isDeepStrictEqual(opened(schedule), opened(definition));
    const field = name as keyof ScheduleDefinition;
    return isDeepStrictEqual(schedule[field], definition[field]);
  });
}
