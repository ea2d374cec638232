import { checkEvents } from "../../history/events/check-events.ts";
import { titleOf } from "../../history/violation.ts";
import { judgeJobEvents } from "../jobs/judge-job-events.ts";
import type { Snapshot } from "../model-store/snapshot.ts";
import { judgeScheduleEvents } from "../schedules/judge/judge-schedule-events.ts";
import { isToldJudgedWith } from "./event-defects.ts";
import { toldIn } from "./history-of.ts";
import type { RunOptions } from "./open-world.ts";

/** Everything in the log of a world against everything in its database: messages, schedules and jobs. */
export function judgeTold(snapshot: Snapshot, { defects = new Set() }: RunOptions): string[] {
  if (!isToldJudgedWith(defects)) return [];
  const messages = snapshot.messages.map((each) => [each.message.messageId, each] as const);
  const final = { messages: new Map(messages) };
  return [
    ...checkEvents({ asked: [], final, events: toldIn(snapshot) }).map(titleOf),
    ...judgeScheduleEvents(snapshot),
    ...judgeJobEvents(snapshot),
  ];
}
