import { isWanted } from "../../../src/domain/events/event-endpoint.ts";
import type { LoggedEvent } from "../../../src/domain/events/event.ts";
import type { EventReader, Reading } from "./told-events.ts";

/**
 * Every connection of a reader must get exactly what follows the place where it began, without a gap and in the order of
 * the log, however far it came. In the end it must have got everything.
 */
export function judgeReader(
  { name, filter, readings, reached }: EventReader,
  log: readonly LoggedEvent[],
): string[] {
  const wanted = log.filter((event) => isWanted(filter, event));
  const problems = readings.flatMap((reading) =>
    judgeReading(reading, wanted).map((problem) => `${name} at ${reading.node} ${problem}`),
  );
  const end = wanted.at(-1)?.position ?? 0;
  if (reached < end) problems.push(`${name} came to ${reached} of ${end}`);
  return problems;
}

function judgeReading(
  { after, told, next, hasGap }: Reading,
  wanted: readonly LoggedEvent[],
): string[] {
  if (hasGap) return [`was told of a gap behind ${after}`];
  const begin = wanted.findIndex(({ position }) => position > after);
  const due = begin < 0 ? [] : wanted.slice(begin);
  const wrong = told.findIndex(
    ({ position, eventId }, index) =>
      due[index]?.position !== position || due[index].eventId !== eventId,
  );
  if (wrong >= 0) {
    const { position, eventId } = told[wrong]!;
    const should = due[wrong];
    return [
      `got ${position} ${eventId} behind ${told[wrong - 1]?.position ?? after}, where ${should?.position ?? "nothing"} ${should?.eventId ?? ""} was due`,
    ];
  }
  if (next === null) return [];
  const passed = due[told.length];
  if (passed !== undefined && passed.position <= next) {
    return [`was sent on to ${next}, and had not got ${passed.position} ${passed.eventId}`];
  }
  const last = told.at(-1)?.position ?? after;
  return next < last ? [`was sent back to ${next} from ${last}`] : [];
}
