import type { Schedule } from "@postdate/client";
import { TimeZones } from "../../domain/time-zones/time-zones.ts";
import { occurrencesFor } from "../../operations/schedules/preview-schedule.ts";
import type { GivenPreview } from "../../operations/schedules/preview-schedule.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import type { Answer, Asked } from "./answering-service.ts";
import { connected, type ConnectedTerminal } from "./connected-terminal.ts";

/** A Thursday. Clocks in Berlin change on Sunday. */
const now = Date.UTC(2026, 2, 26, 12);
export const clock = { now: () => now, monotonic: () => 0 };

/** A terminal whose service has this schedule, previews for real, and answers as the test says otherwise. */
export function atSchedule(
  schedule: Schedule,
  answer: (asked: Asked) => Answer | undefined = () => undefined,
  changes: Partial<Surroundings> = {},
): Promise<ConnectedTerminal> {
  return connected((asked) => answer(asked) ?? { json: ordinaryAnswer(asked, schedule) }, {
    clock,
    timeZone: "Europe/Berlin",
    ...changes,
  });
}

function ordinaryAnswer({ path, body }: Asked, schedule: Schedule): object {
  if (path !== "/v1/schedules/preview") return schedule;
  const options = { timeZones: new TimeZones(), clock };
  return { occurrences: occurrencesFor(options, body as GivenPreview) };
}
