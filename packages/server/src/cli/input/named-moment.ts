import { utc, type Zone } from "../../domain/time-zones/time-zone.ts";
import { remarksOn } from "./moment-remarks.ts";
import { parseMoment, type Moment } from "./moment/moment.ts";
import { readOption } from "./read-option.ts";
import type { Remark } from "./remark.ts";
import { namedZone, type ZoneOptions } from "./zone-option.ts";

export interface MomentToRead extends ZoneOptions {
  /** What the user calls it, such as `--until`. */
  readonly name: string;
  readonly text: string;
  /** What happens then, such as `Paused until`. */
  readonly meaning: string;
}

export interface NamedMoment {
  /** As the service expects it. */
  readonly time: string;
  /** The zone on whose clocks it was read; null if the user wrote the whole instant. */
  readonly zone: Zone | null;
  /** How it was understood, for the user, once it has happened. */
  readonly understood: readonly Remark[];
  /** The same if it could not happen. */
  readonly readAs: readonly string[];
}

/** Reads a time to come, on the clocks of --zone, or else of the zone that `ownZone` finds. */
export async function namedMomentOf(
  { name, text, meaning, zone: zoneName }: MomentToRead,
  now: number,
  ownZone: () => Promise<Zone>,
): Promise<NamedMoment> {
  const read = (zone: Zone): Moment =>
    readOption(name, text, (given) =>
      parseMoment(given, { now, direction: "ahead", zone: () => zone }),
    );
  const given = zoneName === undefined ? undefined : namedZone(zoneName);
  // What cannot be read at all fails before the service is asked for a zone.
  const { isWrittenOut, text: time } = read(given ?? utc);
  if (isWrittenOut && given === undefined) return { time, zone: null, understood: [], readAs: [] };
  const zone = given ?? (await ownZone());
  const moment = read(zone);
  const remarks = (words: string): readonly Remark[] =>
    remarksOn(moment, { meaning: words, now, zone: () => zone, isClear: false });
  return {
    ...{ time: moment.text, zone, understood: remarks(meaning) },
    readAs: remarks(`${name} was read as`).map((remark) => remark.text),
  };
}
