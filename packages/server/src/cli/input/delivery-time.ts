import { Option, type Command } from "commander";
import { parseDuration } from "../../config/durations.ts";
import { InvalidValue } from "../../config/invalid-value.ts";
import { formatTime, latestTime } from "../../domain/times.ts";
import type { Clock } from "../../platform/clock.ts";
import { readOption, timeText } from "./read-option.ts";

export interface DeliveryTimeOptions {
  readonly in?: string;
  readonly at?: string;
}

export function withDeliveryTime(command: Command): Command {
  return command
    .addOption(
      new Option("--in <duration>", "deliver after this long: 5s, 1h30m, 14d").conflicts("at"),
    )
    .option("--at <time>", "deliver at this time: 2027-01-01T09:00:00Z");
}

/** The given time as the service expects it; undefined if none was given. */
export function deliveryTimeOf(options: DeliveryTimeOptions, clock: Clock): string | undefined {
  if (options.at !== undefined) return readOption("--at", options.at, timeText);
  if (options.in === undefined) return undefined;
  return readOption("--in", options.in, (text) => {
    const time = clock.now() + parseDuration(text);
    if (time > latestTime) throw new InvalidValue(`leads beyond the year 9999: "${text}"`);
    return formatTime(time);
  });
}
