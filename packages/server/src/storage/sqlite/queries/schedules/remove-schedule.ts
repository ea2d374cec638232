import type { AuditNote } from "../../../../domain/audit.ts";
import { takenBack } from "../../../../domain/schedules/steps/taken-back.ts";
import type { ScheduleRef, ScheduleView } from "../../../store.ts";
import type { Context } from "../context.ts";
import { scheduleTeller } from "./tell-schedule.ts";
import { endMessage } from "./end-message.ts";
import { scheduleSurroundings } from "./surroundings.ts";
import { scheduleViews } from "./view-schedule.ts";

/**
 * The rest of its runs expires. Nobody finds them, because no other schedule gets their key. Each of those has a message,
 * which counted: whoever creates and removes schedules must not fill the disk with what did not happen.
 */
const runsRemovedAtOnce = 500;

export function removeSchedule(context: Context) {
  const { clock, schedules, runs, audit } = context;
  const tell = scheduleTeller(context);
  const surroundings = scheduleSurroundings(context);
  const cancel = endMessage(context);
  const { viewSchedule } = scheduleViews(context);
  return (ref: ScheduleRef, note: AuditNote): ScheduleView | undefined => {
    const stored = schedules.find(ref);
    if (stored === undefined) return undefined;
    const now = clock.now();
    const open = takenBack(surroundings.forChange(stored, now, "allow"));
    for (const messageId of open) cancel(messageId, now);
    const view = viewSchedule(stored.schedule);
    schedules.remove(stored);
    runs.keepLatestUnmade(stored.scheduleKey, 0);
    runs.removeAll(stored.scheduleKey, runsRemovedAtOnce);
    audit.write(note);
    tell.of(stored.accountKey, "schedule.removed", stored.schedule, now);
    return view;
  };
}
