import { Option, type Command } from "commander";
import { parseDuration } from "../../config/durations.ts";
import { InvalidValue } from "../../config/invalid-value.ts";
import { latestTime } from "../../domain/times.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { compactDuration } from "./moment/duration-words.ts";
import { momentText } from "./moment/moment-text.ts";
import { parseMoment } from "./moment/moment.ts";
import { readOption } from "./read-option.ts";
import { refuseIdleZone, withZone, zoneOf, type ZoneOptions } from "./zone-option.ts";

export interface DeliveryTimeOptions extends ZoneOptions {
  readonly in?: string;
  readonly at?: string;
}

export function withDeliveryTime(command: Command): Command {
  return withZone(
    command
      .addOption(
        new Option(
          "--in <duration>",
          'deliver after this long: 5s, 1h30m, 14d, "2 hours"',
        ).conflicts("at"),
      )
      .option(
        "--at <time>",
        'deliver at this time: 2027-01-01T09:00:00Z, "2027-01-01 9:00", "tomorrow 9:00", "friday noon"',
      ),
  );
}

export interface DeliveryTime {
  /** As the service expects it; undefined if none was given. The service counts a delay itself. */
  readonly when: { readonly deliveryTime: string } | { readonly delayMs: number } | undefined;
  /** How the time was understood, for the user. */
  readonly understood: readonly string[];
}

export function deliveryTimeOf(
  options: DeliveryTimeOptions,
  surroundings: Surroundings,
): DeliveryTime {
  const { in: delay, at } = options;
  if (at !== undefined) {
    const zone = zoneOf(options, surroundings);
    const now = surroundings.clock.now();
    const moment = readOption("--at", at, (text) =>
      parseMoment(text, { now, direction: "ahead", zone: zone.forInput }),
    );
    const due = `Due ${momentText(moment, now, zone.forOutput)}.`;
    const isPast = moment.time < now;
    // Whoever names a zone wants to see the time in it.
    const isClear = moment.isWrittenOut && options.zone === undefined && !isPast;
    return {
      when:
        moment.fromNowMs !== null && moment.fromNowMs >= 0
          ? { delayMs: moment.fromNowMs }
          : { deliveryTime: moment.text },
      understood: [
        ...(isClear ? [] : [due]),
        ...(moment.choice ? [moment.choice] : []),
        ...(isPast ? ["That is past: the message is due at once."] : []),
      ],
    };
  }
  if (delay === undefined) {
    refuseIdleZone(options, "--zone says how to read --at: give --at too, or leave --zone out.");
    return { when: undefined, understood: [] };
  }
  refuseIdleZone(
    options,
    '--zone does not go with --in, which counts from now, in all zones alike: leave --zone out, or give a time, such as --at "tomorrow 9:00".',
  );
  const latestDelayMs = latestTime - surroundings.clock.now();
  const delayMs = readOption("--in", delay, (text) => {
    const readMs = delayMsOf(text);
    if (readMs <= latestDelayMs) return readMs;
    throw new InvalidValue(`leads beyond the year 9999: "${text}"`);
  });
  return { when: { delayMs }, understood: [] };
}

function delayMsOf(text: string): number {
  try {
    return parseDuration(compactDuration(text));
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error;
    throw new InvalidValue(`${error.message}; --at takes a time, such as --at "tomorrow 9:00"`);
  }
}
