import type { Instant } from "../domain/message.ts";
import type { Problem } from "../domain/refusals.ts";
import { parseTime } from "../domain/times.ts";

/** The instant a caller wrote; what is wrong with it is added to the problems. */
export function readGivenTime(
  text: string | undefined,
  field: string,
  problems: Problem[],
): Instant | undefined {
  if (text === undefined) return undefined;
  const parsed = parseTime(text);
  if (parsed.ok) return parsed.time;
  problems.push({
    code: "E-DI-1001",
    message: `${field} cannot be read: ${parsed.reason}.`,
    field,
  });
  return undefined;
}
