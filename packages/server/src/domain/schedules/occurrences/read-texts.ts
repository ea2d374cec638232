import type { WallTime } from "../../time-zones/wall-time.ts";
import type { Cron } from "../cron/cron.ts";
import { parseCron } from "../cron/parse-cron.ts";
import type { ParsedCron } from "../cron/parse-cron.ts";
import { Exceptions } from "./exceptions.ts";
import { parseException, parseLocalTime } from "./local-time.ts";

/** Hears of a text that cannot be read, by its place in the list. What is wrong is left out. */
export type OnFault<Fault> = (index: number, fault: Fault) => void;

export type CronFault = Extract<ParsedCron, { readonly ok: false }>;

export function readCrons(texts: readonly string[], onFault: OnFault<CronFault>): Cron[] {
  return texts.flatMap((text, index) => {
    const parsed = parseCron(text);
    if (parsed.ok) return [parsed.cron];
    onFault(index, parsed);
    return [];
  });
}

export function readLocalTimes(texts: readonly string[], onFault: OnFault<string>): WallTime[] {
  return texts.flatMap((text, index) => {
    const parsed = parseLocalTime(text);
    if (parsed.ok) return [parsed.wallTime];
    onFault(index, parsed.reason);
    return [];
  });
}

export function readExceptions(texts: readonly string[], onFault: OnFault<string>): Exceptions {
  const days: number[] = [];
  const times: WallTime[] = [];
  texts.forEach((text, index) => {
    const parsed = parseException(text);
    if (!parsed.ok) onFault(index, parsed.reason);
    else if ("day" in parsed) days.push(parsed.day);
    else times.push(parsed.wallTime);
  });
  return new Exceptions(days, times);
}
