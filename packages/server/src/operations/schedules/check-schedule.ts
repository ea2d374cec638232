import { RequestRefused } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import type { ScheduleDefinition } from "../../domain/schedules/schedule.ts";
import type { TimeZones } from "../../domain/time-zones/time-zones.ts";
import type { SecretBox } from "../../platform/secret-box.ts";
import type { Store } from "../../storage/store.ts";
import { targetProblem } from "../messages/message-draft.ts";
import { refuseAbbreviation } from "./given-recurrence.ts";
import { readRunOptions } from "./given-run-options.ts";
import { readDefinition } from "./given-schedule.ts";
import type { GivenSchedule } from "./given-schedule.ts";

export interface CheckScheduleOptions {
  readonly store: Pick<Store, "getTarget">;
  readonly timeZones: TimeZones;
  readonly secretBox: SecretBox;
}

/** What the caller asks for as a whole, or a refusal with all its problems. */
export async function checkSchedule(
  { store, timeZones, secretBox }: CheckScheduleOptions,
  accountId: string,
  given: GivenSchedule,
  formProblems: readonly Problem[],
): Promise<ScheduleDefinition> {
  const problems = [...formProblems];
  refuseAbbreviation(timeZones, given, problems);
  const message = readRunOptions(given.message, { problems, secretBox });
  const definition = readDefinition(given, { timeZones, problems, message });
  return definition ?? refuse(store, accountId, given.targetId, problems);
}

/** Looks whether the target is wrong as well, so that the answer lists this problem too. */
export async function refuse(
  store: Pick<Store, "getTarget">,
  accountId: string,
  targetId: string | undefined,
  problems: readonly Problem[],
): Promise<never> {
  const badTarget = await targetProblem(store, accountId, targetId);
  throw new RequestRefused(...problems, ...(badTarget === undefined ? [] : [badTarget]));
}
