import type { Schedule, ScheduleChanges } from "@postdate/client";
import { Option, type Command } from "commander";
import type { GivenRecurrence } from "../../operations/schedules/given-recurrence.ts";
import { apiCommand, connect } from "../connection/connection.ts";
import { readSchedule } from "../connection/look-up-schedule.ts";
import { askAboutTarget } from "../connection/look-up-target.ts";
import { showSchedule } from "../connection/show-schedule.ts";
import { CommandFailed } from "../failures/exit-codes.ts";
import { explained } from "../help/help-text.ts";
import { messageFlagNames } from "../input/message-options.ts";
import { recurrenceOf, saysWhen, withZoneFlag } from "../input/recurrence-flags.ts";
import {
  scheduleFieldsOf,
  withScheduleFlags,
  type ScheduleFlags,
} from "../input/schedule-flags.ts";
import { givenMessageOf } from "../input/schedule-message.ts";
import { refuseWrongRecurrence, withScheduleOptions } from "../input/wrong-recurrence.ts";
import { zoneOf } from "../input/zone-option.ts";
import { settingsOfSchedule } from "../print/schedules.ts";
import { settingChanges } from "../print/setting-changes.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

interface UpdateFlags extends ScheduleFlags {
  readonly plainMessages?: boolean;
}

export function addScheduleUpdate(schedule: Command, surroundings: Surroundings): void {
  const command = apiCommand(schedule, "update <scheduleId> [payload]")
    .description("change a schedule: its payload, or what the options name; the rest stays")
    .option("--target <targetId>", "where its messages go");
  withZoneFlag(withScheduleFlags(command))
    .addOption(new Option("--no-except", "leave nothing out").helpGroup("When:"))
    .addOption(
      new Option("--plain-messages", "messages without options of their own")
        .conflicts([...messageFlagNames, "notAfter"])
        .helpGroup("For each message:"),
    )
    .addHelpText(
      "after",
      explained(
        "`none` removes --start, --end, --max-runs, --flex and --pause-after-dead-letters. Runs that were made and are not due yet are made anew. Labels and headers that you give replace all that it has; 'Name: set' keeps the value of a header.",
        ['postdate schedule update digest --cron "30 8 * * MON-FRI"', "half an hour earlier"],
        ["postdate schedule update digest --except 2026-12-24 --except 2026-12-31", "not then"],
        ["postdate schedule update digest --end none --overlap queue", "without an end"],
      ),
    )
    .action(async (scheduleId: string, argument: string | undefined, flags: UpdateFlags) => {
      const connection = connect(command, surroundings);
      const { service } = connection;
      if (argument === undefined && !changesAnything(command)) {
        command.error("error: say what to change");
      }
      const now = surroundings.clock.now();
      const given = scheduleFieldsOf(flags);
      const before = await readSchedule(service, scheduleId);
      const settings = connection.worded(before, settingsOfSchedule);
      const shown = connection.worded(before, (schedule) => schedule);
      const zoneName = flags.zone ?? shown.timeZone;
      const zone = () => zoneOf({ zone: zoneName }, surroundings).forInput();
      const { fields, understood } = recurrenceOf(flags, { now, zone });
      refuseWrongRecurrence({ ...recurrenceBeside(flags, shown), ...fields }, now);
      const own = before.message;
      const changes = {
        ...given,
        ...fields,
        ...(await givenMessageOf(command, flags, { argument, stdin: surroundings.stdin, own })),
        ...(flags.plainMessages === true && { message: null }),
      };
      connection.explain(understood);
      const after = await askAboutTarget(service, flags.target ?? before.targetId, (postdate) =>
        // The flags know their fields, and the service checks them.
        postdate.schedules.update(scheduleId, changes as unknown as ScheduleChanges),
      ).catch((error: unknown) => {
        throw withScheduleOptions(adviceOnHeaders(error), fields);
      });
      // Of headers no value is shown, and of a long payload only the beginning.
      const rewritten = [
        ...(flags.header === undefined && flags.headerFile === undefined ? [] : ["Headers"]),
        ...(before.payload === after.payload ? [] : ["Payload"]),
      ];
      await showSchedule(connection, after, (changed, look) => {
        const now = settingsOfSchedule(changed);
        return settingChanges({ name: scheduleId, before: settings, after: now, rewritten }, look);
      });
    });
}

/** The service keeps header values for their target alone. This says what the command line can do about it. */
function adviceOnHeaders(error: unknown): unknown {
  const isAboutHeaders =
    error instanceof CommandFailed &&
    error.problems.some(({ field }) => field?.startsWith("message.headers"));
  if (!isAboutHeaders) return error;
  const advice = "Give each --header again with its value, or --plain-messages.";
  return new CommandFailed(error.exitCode, ...error.lines, advice).because(error.problems);
}

/** The options that say where to ask, and how to answer. */
const ofConnection = new Set(["json", "url", "key", "profile"]);

function changesAnything(command: Command): boolean {
  return Object.keys(command.opts()).some((name) => !ofConnection.has(name));
}

/**
 * What the schedule has and the options do not replace, as far as it matters to what they give: an end may come
 * before the start that stays.
 */
function recurrenceBeside(flags: UpdateFlags, schedule: Schedule): GivenRecurrence {
  const { startTime, endTime } = schedule;
  // Any rule will do in place of the one that stays.
  return { startTime, endTime, ...(!saysWhen(flags) && { cron: "@daily" }) };
}
