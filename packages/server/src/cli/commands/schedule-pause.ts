import type { Command } from "commander";
import { apiCommand, connect, type Connection } from "../connection/connection.ts";
import { askAboutSchedule } from "../connection/look-up-schedule.ts";
import { showSchedule } from "../connection/show-schedule.ts";
import { zoneOfSchedule } from "../connection/zone-of-schedule.ts";
import { examples } from "../help/help-text.ts";
import { namedMomentOf, type NamedMoment } from "../input/named-moment.ts";
import { withOptionsNamed } from "../input/options-named.ts";
import { refuseIdleZone, withScheduleZone, type ZoneOptions } from "../input/zone-option.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

interface PauseOptions extends ZoneOptions {
  readonly until?: string;
  readonly note?: string;
}

export function addSchedulePause(schedule: Command, surroundings: Surroundings): void {
  const command = apiCommand(schedule, "pause <scheduleId>")
    .description("make no runs until it is resumed; what passes meanwhile is not made up for")
    .option("--until <time>", 'resume by itself then: 2027-01-07T00:00:00Z, "monday 9:00", 2d')
    .option("--note <text>", "a remark, kept with the schedule and in the audit log");
  withScheduleZone(command)
    .addHelpText(
      "after",
      examples(
        ["postdate schedule pause digest", "until postdate schedule resume digest"],
        [
          'postdate schedule pause digest --until "2027-01-07 0:00" --note "holidays"',
          "and says why",
        ],
      ),
    )
    .action(async (scheduleId: string, options: PauseOptions) => {
      refuseZoneWithoutTime(options);
      const connection = connect(command, surroundings);
      const until = await untilOf(options, { connection, surroundings, scheduleId });
      const { note } = options;
      const pause = {
        ...(until !== undefined && { until: until.time }),
        ...(note !== undefined && { note }),
      };
      const paused = await askAboutSchedule(connection.service, scheduleId, ({ schedules }) =>
        schedules.pause(scheduleId, pause),
      ).catch((error: unknown) => {
        throw withOptionsNamed(error);
      });
      connection.explain(until?.understood ?? []);
      await showSchedule(connection, paused);
    });
}

function refuseZoneWithoutTime({ until, ...zone }: PauseOptions): void {
  if (until !== undefined) return;
  refuseIdleZone(zone, "--zone says how to read --until: give --until too, or leave --zone out.");
}

interface PauseToRead {
  readonly connection: Connection;
  readonly surroundings: Surroundings;
  readonly scheduleId: string;
}

async function untilOf(
  { until, ...zone }: PauseOptions,
  { connection, surroundings, scheduleId }: PauseToRead,
): Promise<NamedMoment | undefined> {
  if (until === undefined) return undefined;
  const toRead = { name: "--until", text: until, meaning: "Paused until", ...zone };
  return namedMomentOf(toRead, surroundings.clock.now(), () =>
    zoneOfSchedule(connection, scheduleId),
  );
}

export function addScheduleResume(schedule: Command, surroundings: Surroundings): void {
  const command = apiCommand(schedule, "resume <scheduleId>")
    .description("make runs again, from now on")
    .addHelpText("after", examples(["postdate schedule resume digest", "with the next run time"]))
    .action(async (scheduleId: string) => {
      const connection = connect(command, surroundings);
      const resumed = await askAboutSchedule(connection.service, scheduleId, ({ schedules }) =>
        schedules.resume(scheduleId),
      );
      await showSchedule(connection, resumed);
    });
}
