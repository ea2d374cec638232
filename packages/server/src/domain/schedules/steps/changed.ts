import type { TimeZones } from "../../time-zones/time-zones.ts";
import type { Schedule } from "../schedule.ts";
import type { ScheduleChange, Step, Surroundings } from "../steps.ts";
import { advanced } from "./advanced.ts";
import { edited } from "./edit.ts";
import { paused, resumed } from "./pause.ts";
import { skipped, unskipped } from "./skip.ts";
import { triggered } from "./trigger.ts";

/** Why a change of a schedule is refused. Nothing has changed then. */
export type RefusedChange = "revised" | "no-occurrence" | "no-open-occurrence" | "too-many-skips";

/** What a caller's change does to a schedule. Where it goes on, the runs of the next seconds are made with it. */
export function changed(
  schedule: Schedule,
  change: ScheduleChange,
  surroundings: Surroundings,
  zones: TimeZones,
): Step | RefusedChange {
  switch (change.kind) {
    case "define": {
      const { ifRevision, definition } = change;
      if (ifRevision !== null && ifRevision !== schedule.revision) return "revised";
      return edited(schedule, definition, surroundings, zones);
    }
    case "pause":
      return paused(schedule, change, surroundings, zones);
    case "resume":
      return resumed(schedule, surroundings, zones) ?? advanced(schedule, surroundings, zones);
    case "skip":
      return skipped(schedule, change.time, surroundings, zones);
    case "unskip":
      return unskipped(schedule, change.time, surroundings, zones);
    default:
      return triggered(schedule, surroundings, zones);
  }
}
