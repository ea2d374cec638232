import type { EventMask } from "../../../../domain/events/event-types.ts";
import { maskOf } from "../../../../domain/events/event-types.ts";
import {
  runEvent,
  scheduleChangeTypes,
  scheduleEvent,
} from "../../../../domain/events/other-events.ts";
import type { Instant } from "../../../../domain/instant.ts";
import type { Run as RunOfSchedule } from "../../../../domain/schedules/run.ts";
import type { Schedule } from "../../../../domain/schedules/schedule.ts";
import type { ScheduleChange } from "../../../../domain/schedules/steps.ts";
import type { Run } from "../../connections/connections.ts";
import { tellFacts } from "../../events/tell-facts.ts";
import type { ToldFacts } from "../../events/tell-facts.ts";

/** Why a schedule has a step that is not due by itself. */
export type StepOccasion = "creation" | ScheduleChange["kind"];

interface ToldStep {
  readonly before: Schedule;
  readonly schedule: Schedule;
  readonly runs: readonly { readonly run: RunOfSchedule }[];
  readonly occasion?: StepOccasion | undefined;
}

const scheduleMask = maskOf(["schedule.*"]);

/** The schedules are locked. `mask`: of all their accounts together. Only few accounts are told about schedules. */
export async function tellSteps(
  run: Run,
  steps: readonly ToldStep[],
  { mask, now }: { readonly mask: EventMask; readonly now: Instant },
): Promise<void> {
  if ((mask & scheduleMask) === 0) return;
  await tellFacts(
    run,
    steps.flatMap((step) => factsOf(step, now)),
  );
}

function factsOf({ before, schedule, runs, occasion }: ToldStep, now: Instant): ToldFacts[] {
  const types =
    occasion === "creation"
      ? scheduleChangeTypes(null, schedule)
      : scheduleChangeTypes(before, schedule, occasion);
  const facts = [
    ...types.map((type) => scheduleEvent(type, schedule, now)),
    ...runs.map(({ run }) => runEvent(schedule, run, now)),
  ];
  const { accountId } = schedule;
  return facts.map((each) => ({ accountId, facts: each }));
}
