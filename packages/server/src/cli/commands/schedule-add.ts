import type { NewSchedule } from "@postdate/client";
import type { Command } from "commander";
import { codes } from "../../domain/refusals.ts";
import { scheduleIdPattern } from "../../domain/schedules/schedule-id.ts";
import { apiCommand, connect } from "../connection/connection.ts";
import { askAboutTarget } from "../connection/look-up-target.ts";
import { showSchedule } from "../connection/show-schedule.ts";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import { explained } from "../help/help-text.ts";
import { recurrenceOf, refuseNever, withZoneFlag } from "../input/recurrence-flags.ts";
import {
  scheduleFieldsOf,
  withScheduleFlags,
  type ScheduleFlags,
} from "../input/schedule-flags.ts";
import { givenMessageOf } from "../input/schedule-message.ts";
import { refuseWrongRecurrence, withScheduleOptions } from "../input/wrong-recurrence.ts";
import { zoneOf } from "../input/zone-option.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

interface AddFlags extends ScheduleFlags {
  readonly target: string;
}

export function addScheduleAdd(schedule: Command, surroundings: Surroundings): void {
  const command = apiCommand(schedule, "add <id> [payload]")
    .description("make a schedule, and show its next runs")
    .requiredOption("--target <targetId>", "where its messages go (required)");
  withZoneFlag(withScheduleFlags(command), "UTC")
    .addHelpText(
      "after",
      explained(
        "Without a payload its messages are empty: each says in the header postdate-schedule where it comes from. Times of --start and --end without an offset are on the clocks of --zone.",
        [
          'postdate schedule add digest --target mail --cron "0 9 * * MON-FRI" --zone Europe/Berlin',
          "at nine, on workdays",
        ],
        [
          "postdate schedule add poll '{\"feed\":7}' --target feeds --every 15m --overlap skip",
          "unless the one before is not through",
        ],
        [
          "postdate schedule add backup --target ops --cron @daily --flex 2h --catch-up none",
          "some time between midnight and two; not at all after an outage",
        ],
        [
          "postdate schedule add party --target mail --at 2027-07-01T18:00 --at 2027-12-20T18:00",
          "twice",
        ],
      ),
    )
    .action(async (scheduleId: string, argument: string | undefined, flags: AddFlags) => {
      refuseWrongId(scheduleId);
      refuseNever(command, flags);
      const now = surroundings.clock.now();
      const zone = zoneOf(flags, surroundings).forInput;
      const { fields, understood } = recurrenceOf(flags, { now, zone });
      refuseWrongRecurrence(fields, now);
      const wanted = {
        scheduleId,
        payload: "",
        ...scheduleFieldsOf(flags),
        ...fields,
        ...(await givenMessageOf(command, flags, { argument, stdin: surroundings.stdin })),
      };
      const connection = connect(command, surroundings);
      connection.explain(understood);
      const made = await askAboutTarget(connection.service, flags.target, ({ schedules }) =>
        // The flags know their fields, and the service checks them.
        schedules.create(wanted as unknown as NewSchedule),
      ).catch((error: unknown) => {
        throw withScheduleOptions(adviceOnName(error, scheduleId), fields);
      });
      await showSchedule(connection, made);
    });
}

function refuseWrongId(scheduleId: string): void {
  if (scheduleIdPattern.test(scheduleId)) return;
  throw new CommandFailed(
    exitCodes.usage,
    `A schedule cannot be named "${scheduleId}". Write 1 to 64 of the characters A-Z a-z 0-9 _ -`,
  );
}

/** The service names what its API can do about it. This says what the command line can. */
function adviceOnName(error: unknown, scheduleId: string): unknown {
  const isTaken =
    error instanceof CommandFailed &&
    error.problems.some(({ code }) => code === codes.scheduleExists);
  if (!isTaken) return error;
  const advice = `\`postdate schedule show ${scheduleId}\` shows it, \`postdate schedule update ${scheduleId}\` changes it.`;
  const line = `${codes.scheduleExists}: The schedule ${scheduleId} exists already.`;
  return new CommandFailed(error.exitCode, line, advice).because(error.problems);
}
