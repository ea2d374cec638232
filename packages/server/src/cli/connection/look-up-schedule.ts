import type { Postdate, Schedule } from "@postdate/client";
import { nearNames } from "../../config/near-names.ts";
import { codes } from "../../domain/refusals.ts";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import { scheduleIds } from "./known-ids.ts";
import type { Service } from "./service.ts";

/** Fails if the schedule does not exist. A key that may not read schedules cannot tell. */
export async function lookUpSchedule(service: Service, scheduleId: string): Promise<void> {
  try {
    await readSchedule(service, scheduleId);
  } catch (error) {
    const isNotAllowed =
      error instanceof CommandFailed &&
      error.problems.some(({ code }) => code === codes.insufficientScope);
    if (!isNotAllowed) throw error;
  }
}

export function readSchedule(service: Service, scheduleId: string): Promise<Schedule> {
  return askAboutSchedule(service, scheduleId, ({ schedules }) => schedules.get(scheduleId));
}

/** Asks about a schedule. Null means that it does not exist. */
export async function askAboutSchedule<Answer>(
  service: Service,
  scheduleId: string,
  call: (postdate: Postdate) => Promise<Answer | null>,
): Promise<Answer> {
  const answer = await orNoSchedule(service, scheduleId, service.ask(call));
  if (answer === null) throw await noSuchSchedule(service, scheduleId);
  return answer;
}

/** The service's error for a missing schedule is written for programs. This one is for people. */
export async function orNoSchedule<Answer>(
  service: Service,
  scheduleId: string,
  answer: Promise<Answer>,
): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    const isMissing =
      error instanceof CommandFailed &&
      error.problems.some(({ code }) => code === codes.scheduleNotFound);
    throw isMissing ? await noSuchSchedule(service, scheduleId) : error;
  }
}

/** Suggests similar names. */
async function noSuchSchedule(service: Service, scheduleId: string): Promise<CommandFailed> {
  const near = nearNames(scheduleId, await scheduleIds(service));
  const hint =
    near.length === 0
      ? "`postdate schedule list` shows all schedules, `postdate schedule add` makes one."
      : `Did you mean ${near.join(" or ")}?`;
  const message = `There is no schedule ${scheduleId}. ${hint}`;
  const problem = { code: codes.scheduleNotFound, message };
  return new CommandFailed(exitCodes.notFound, message).because([problem]);
}
