import type { Forecast, TimeBucket } from "@postdate/client";
import { Option, type Command } from "commander";
import { timeBuckets } from "../../domain/time-buckets.ts";
import { pause } from "../../platform/timers.ts";
import { apiCommand, connect } from "../connection/connection.ts";
import { askAboutTarget } from "../connection/look-up-target.ts";
import type { Service } from "../connection/service.ts";
import { examples } from "../help/help-text.ts";
import type { Direction } from "../input/moment/moment.ts";
import { timeRangeOf, withTimeRange, type TimeRangeOptions } from "../input/time-range.ts";
import { zoneOf } from "../input/zone-option.ts";
import { activityChart, forecastChart, groupRows, statsCard } from "../print/stats.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

interface RangeOptions extends TimeRangeOptions {
  readonly target?: string;
  readonly bucket?: TimeBucket;
}

/** A forecast that takes longer is shown as far as it is known. */
const mostLooks = 60;
const betweenLooksMs = 1_000;

export function addStats(program: Command, surroundings: Surroundings): void {
  const command = apiCommand(program, "stats")
    .description("how many messages are pending, overdue and due soon, and how many dead letters")
    .addHelpText("after", examples(["postdate stats", "what there is now"]))
    .action(async () => {
      const { service, show } = connect(command, surroundings);
      show(await service.ask(({ stats }) => stats.counts()), statsCard);
    });
}

export function addForecast(program: Command, surroundings: Surroundings): void {
  const command = withRange(apiCommand(program, "forecast"), "ahead")
    .description(
      "how many messages become due when, and how many schedules will make, as bars; the next day by hour by default",
    )
    .addHelpText(
      "after",
      examples(
        ["postdate forecast", "the next day, by hour"],
        ["postdate forecast --target billing --max-time 30d", "a month of one target, by day"],
        ["postdate forecast --max-time 1h --bucket minute", "the next hour, minute by minute"],
      ),
    )
    .action(async (options: RangeOptions) => {
      const { query, understood, zone } = rangeOf(options, surroundings, "ahead");
      const { service, show, explain, hint } = connect(command, surroundings);
      explain(understood);
      const look = (): Promise<Forecast> =>
        about(service, options, ({ stats }) => stats.forecast(query));
      let forecast = await look();
      for (let looks = 1; isTrue(forecast.counting) && looks < mostLooks; looks++) {
        if (looks === 1) hint("Counting. This takes a while with very many messages.");
        await pause(surroundings.timers, betweenLooksMs);
        forecast = await look();
      }
      show(forecast, (shown, terminal) => forecastChart(shown, zone, terminal));
    });
}

export function addActivity(program: Command, surroundings: Surroundings): void {
  const command = withRange(apiCommand(program, "activity"), "back")
    .description("how attempts went and how late they were, as bars; the last hour by default")
    .addHelpText(
      "after",
      examples(
        ["postdate activity", "the last hour, by minute"],
        ["postdate activity --target billing --min-time 2d", "two days of one target, by hour"],
      ),
    )
    .action(async (options: RangeOptions) => {
      const { query, understood, zone } = rangeOf(options, surroundings, "back");
      const { service, show, explain } = connect(command, surroundings);
      explain(understood);
      const activity = await about(service, options, ({ stats }) => stats.activity(query));
      show(activity, (shown, look) => activityChart(shown, zone, look));
    });
}

export function addDeadLetterGroups(program: Command, surroundings: Surroundings): void {
  const command = apiCommand(program, "dead-letter-groups")
    .option("--target <targetId>", "only dead letters of this target")
    .description("the dead letters by target, reason and status, the largest group first")
    .addHelpText(
      "after",
      examples(["postdate dead-letter-groups", "what went wrong, and how often"]),
    )
    .action(async ({ target }: RangeOptions) => {
      const { service, show } = connect(command, surroundings);
      const query = target === undefined ? {} : { targetId: target };
      show(await service.ask(({ stats }) => stats.deadLetterGroups(query)), groupRows);
    });
}

function withRange(command: Command, direction: Direction): Command {
  return withTimeRange(
    command
      .option("--target <targetId>", "only this target; without it, all of them")
      .addOption(
        new Option(
          "--bucket <bucket>",
          "how time is divided; by the length of it by default",
        ).choices(timeBuckets),
      ),
    direction,
  );
}

function rangeOf(options: RangeOptions, surroundings: Surroundings, direction: Direction) {
  const { target, bucket, zone: named, ...times } = options;
  const hasTimes = times.minTime !== undefined || times.maxTime !== undefined;
  // The zone is also that of the chart, so it matters without a time too.
  const given = hasTimes && named !== undefined ? { ...times, zone: named } : times;
  const { query, understood } = timeRangeOf(given, surroundings, direction);
  return {
    query: {
      ...query,
      ...(target !== undefined && { targetId: target }),
      ...(bucket !== undefined && { bucket }),
    },
    understood,
    zone: zoneOf(options, surroundings).forOutput,
  };
}

/** If it is about a target that does not exist, the error suggests others. */
function about<Answer>(
  service: Service,
  { target }: RangeOptions,
  call: Parameters<typeof askAboutTarget<Answer>>[2],
): Promise<Answer> {
  return target === undefined
    ? (service.ask(call) as Promise<Answer>)
    : askAboutTarget(service, target, call);
}

/** Of what a service said, which may be anything. */
function isTrue(said: unknown): boolean {
  return said === true;
}
