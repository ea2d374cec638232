import { Option, type Command } from "commander";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { durationMsOf, isDuration } from "./moment/duration-words.ts";
import { momentText } from "./moment/moment-text.ts";
import { parseMoment } from "./moment/moment.ts";
import { readOption } from "./read-option.ts";
import { remark, type Remark } from "./remark.ts";
import { zoneOf, type ZoneOptions } from "./zone-option.ts";

export interface NotAfterOptions extends ZoneOptions {
  /** False removes the one that the message has. */
  readonly notAfter?: string | false;
}

export function withNotAfter(command: Command): Command {
  return command.addOption(
    new Option(
      "--not-after <time>",
      'do not deliver at or after this time: 18:00, "friday noon", or so long after the delivery time: 2h',
    ),
  );
}

/** Whether the option is a time, and not a duration. */
export function dependsOnZone({ notAfter }: NotAfterOptions): boolean {
  return typeof notAfter === "string" && !isDuration(notAfter);
}

export interface NotAfter<None> {
  /** As the service expects it; empty if nothing was given. */
  readonly bound: { readonly notAfter?: string | None; readonly notAfterMs?: number };
  /** How a time was understood, for the user. */
  readonly understood: readonly Remark[];
}

/**
 * A duration counts from the delivery time. A time of day is the first one after the delivery time: a message
 * for tomorrow at nine that is not to come after 18:00 has the whole day.
 */
export function notAfterOf(
  options: { readonly notAfter?: string } & ZoneOptions,
  deliveryTime: number,
  surroundings: Surroundings,
): NotAfter<never> {
  const { notAfter } = options;
  if (notAfter === undefined) return { bound: {}, understood: [] };
  if (isDuration(notAfter)) {
    return {
      bound: { notAfterMs: readOption("--not-after", notAfter, durationMsOf) },
      understood: [],
    };
  }
  const zone = zoneOf(options, surroundings);
  const now = surroundings.clock.now();
  const after = Math.max(now, deliveryTime);
  const moment = readOption("--not-after", notAfter, (text) =>
    parseMoment(text, { now, direction: "ahead", after, zone: zone.forInput }),
  );
  const { isNextDay } = moment;
  const isClear = moment.isWrittenOut && options.zone === undefined;
  const read = `Not after ${momentText(moment, now, zone.forOutput)}.`;
  const moved = `At the delivery time it is ${notAfter} or later already, so that of the next day is meant.`;
  return {
    bound: { notAfter: moment.text },
    understood: [
      ...(isClear ? [] : [remark(read, isNextDay)]),
      ...(isNextDay ? [remark(moved, true)] : []),
      ...(moment.choice ? [remark(moment.choice)] : []),
    ],
  };
}

/** For a change: false removes the bound that the message has. */
export function changedNotAfterOf(
  { notAfter, ...zone }: NotAfterOptions,
  deliveryTime: number,
  surroundings: Surroundings,
): NotAfter<null> {
  if (notAfter === false) return { bound: { notAfter: null }, understood: [] };
  const given = notAfter === undefined ? {} : { notAfter };
  return notAfterOf({ ...zone, ...given }, deliveryTime, surroundings);
}
