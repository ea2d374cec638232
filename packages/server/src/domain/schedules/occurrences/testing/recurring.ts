import { findZone } from "../../../time-zones/time-zone.ts";
import { offsetText, wallText } from "../../../time-zones/wall-time.ts";
import type { Cron } from "../../cron/cron.ts";
import { parseCron } from "../../cron/parse-cron.ts";
import { Exceptions } from "../exceptions.ts";
import type { Occurrence } from "../occurrence.ts";
import { occurrencesOf } from "../occurrences.ts";
import type { Recurrence, Rule } from "../occurrences.ts";

function cronOf(text: string): Cron {
  const parsed = parseCron(text);
  if (!parsed.ok) throw new Error(`${text}, character ${parsed.at}: ${parsed.reason}`);
  return parsed.cron;
}

export function cronRule(...texts: readonly string[]): Rule {
  return { kind: "cron", crons: texts.map(cronOf) };
}

/** Without bounds and exceptions, unless they are given. */
export function recurring(
  rule: Rule,
  zone: string,
  given: Partial<Pick<Recurrence, "startTime" | "endTime" | "exceptions">> = {},
): Recurrence {
  return {
    ...{ rule, zone: findZone(zone)!, startTime: null, endTime: null },
    ...{ exceptions: new Exceptions(), ...given },
  };
}

/** The first occurrences, as `2026-03-29T03:00:00+02:00 gap`. */
export function firstTexts(recurrence: Recurrence, from: string, count: number): string[] {
  return occurrencesOf(recurrence, Date.parse(from)).take(count).map(textOf).toArray();
}

function textOf({ wallTime, offsetMs, mark }: Occurrence): string {
  return `${wallText(wallTime)}${offsetText(offsetMs)}${mark === null ? "" : ` ${mark}`}`;
}
