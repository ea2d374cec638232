import { Option, type Command } from "commander";
import { InvalidValue } from "../../config/invalid-value.ts";
import { latestTime } from "../../domain/times.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { durationMsOf } from "./moment/duration-words.ts";
import { momentText } from "./moment/moment-text.ts";
import { parseMoment } from "./moment/moment.ts";
import { dependsOnZone, type NotAfterOptions } from "./not-after.ts";
import { readOption } from "./read-option.ts";
import { remark, type Remark } from "./remark.ts";
import { refuseIdleZone, withZone, zoneOf } from "./zone-option.ts";

export interface DeliveryTimeOptions extends NotAfterOptions {
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
  /** The same instant by the clock of this machine; now if none was given. */
  readonly time: number;
  /** A line that says how the time was understood, unless the user wrote it out. */
  readonly due: readonly Remark[];
  /** What else the user should know about it. */
  readonly remarks: readonly Remark[];
}

export function deliveryTimeOf(
  options: DeliveryTimeOptions,
  surroundings: Surroundings,
): DeliveryTime {
  const { in: delay, at } = options;
  const now = surroundings.clock.now();
  if (at !== undefined) {
    const zone = zoneOf(options, surroundings);
    const moment = readOption("--at", at, (text) =>
      parseMoment(text, { now, direction: "ahead", zone: zone.forInput }),
    );
    const due = remark(`Due ${momentText(moment, now, zone.forOutput)}.`, moment.isNextDay);
    const isPast = moment.time < now;
    // Whoever names a zone wants to see the time in it.
    const isClear = moment.isWrittenOut && options.zone === undefined && !isPast;
    return {
      when:
        moment.fromNowMs !== null && moment.fromNowMs >= 0
          ? { delayMs: moment.fromNowMs }
          : { deliveryTime: moment.text },
      time: moment.time,
      due: isClear ? [] : [due],
      remarks: [
        ...(moment.choice ? [remark(moment.choice)] : []),
        ...(isPast ? [remark("That is past: the message is due at once.")] : []),
      ],
    };
  }
  if (!dependsOnZone(options)) refuseIdleZone(options, idleZone(delay));
  if (delay === undefined) return { when: undefined, time: now, due: [], remarks: [] };
  const latestDelayMs = latestTime - now;
  const delayMs = readOption("--in", delay, (text) => {
    const readMs = delayMsOf(text);
    if (readMs <= latestDelayMs) return readMs;
    throw new InvalidValue(`leads beyond the year 9999: "${text}"`);
  });
  return { when: { delayMs }, time: now + delayMs, due: [], remarks: [] };
}

function idleZone(delay: string | undefined): string {
  return delay === undefined
    ? "--zone says how to read --at: give --at too, or leave --zone out."
    : '--zone does not go with --in, which counts from now, in all zones alike: leave --zone out, or give a time, such as --at "tomorrow 9:00".';
}

function delayMsOf(text: string): number {
  try {
    return durationMsOf(text);
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error;
    throw new InvalidValue(`${error.message}; --at takes a time, such as --at "tomorrow 9:00"`);
  }
}
