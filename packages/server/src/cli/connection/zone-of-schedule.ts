import { findZone, type Zone } from "../../domain/time-zones/time-zone.ts";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import type { Connection } from "./connection.ts";
import { readSchedule } from "./look-up-schedule.ts";

/** The zone on whose clocks a schedule is due. */
export async function zoneOfSchedule(
  { service, worded }: Pick<Connection, "service" | "worded">,
  scheduleId: string,
): Promise<Zone> {
  const schedule = await readSchedule(service, scheduleId);
  const name = worded(schedule, ({ timeZone }) => timeZone);
  const zone = findZone(name);
  if (zone !== undefined) return zone;
  throw new CommandFailed(
    exitCodes.usage,
    `The zone of ${scheduleId}, ${name}, is not known here. Write the time with an offset, such as 2027-01-01T09:00:00Z, or give --zone.`,
  );
}
