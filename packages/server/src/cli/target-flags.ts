import type { Command } from "commander";
import { parseDuration } from "../config/durations.ts";
import { InvalidValue } from "../config/invalid-value.ts";
import { oneOf, wholeNumber } from "../config/kinds-of-value.ts";
import type { RateLimit } from "../domain/rate-limit.ts";
import { collect, readOption } from "./read-option.ts";

/** What of a target can be given, when it is made and later; retries are `RetryFlags`. */
export interface TargetFlags {
  readonly header?: readonly string[];
  readonly contentType?: string;
  readonly timeout?: string;
  readonly maxConcurrency?: string;
  readonly rate?: string;
  readonly paused?: string;
}

/** The service knows the exact bounds; this only keeps nonsense from travelling. */
const positive = wholeNumber(1, 1_000_000);

export function withTargetFlags(command: Command): Command {
  return command
    .option("--header <header>", "a header to send along, as 'Name: value'; repeatable", collect)
    .option("--content-type <type>", "default: text/plain; charset=utf-8")
    .option("--timeout <duration>", "how long an attempt may take (default: 15s)")
    .option("--max-concurrency <number>", "attempts at once (default: 50)")
    .option("--rate <rate>", "attempts in a time: 10/s, 100/m, 1/10s, or none (the default)")
    .option("--paused <yes|no>", "whether its messages are held back (default: no)");
}

/** The fields of a request. `default` brings a default back: null, for the service. */
export function targetFields(options: TargetFlags): Record<string, unknown> {
  const { header, contentType, timeout, maxConcurrency, rate, paused } = options;
  const orDefault = <Value>(name: string, text: string, read: (text: string) => Value) =>
    text === "default" ? null : readOption(name, text, read);
  return {
    ...(header !== undefined && { headers: readOption("--header", "", () => headersOf(header)) }),
    ...(contentType !== undefined && {
      contentType: orDefault("--content-type", contentType, (text) => text),
    }),
    ...(timeout !== undefined && { timeoutMs: orDefault("--timeout", timeout, parseDuration) }),
    ...(maxConcurrency !== undefined && {
      maxConcurrency: orDefault("--max-concurrency", maxConcurrency, positive.read),
    }),
    ...(rate !== undefined && {
      rateLimit: rate === "none" ? null : readOption("--rate", rate, parseRate),
    }),
    ...(paused !== undefined && {
      paused: readOption("--paused", paused, oneOf(["yes", "no"], "yes|no").read) === "yes",
    }),
  };
}

function headersOf(lines: readonly string[]): Record<string, string> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon)).trim();
    if (name === "") throw new InvalidValue(`must look like "Name: value", not "${line}"`);
    if ([...headers.keys()].some((known) => known.toLowerCase() === name.toLowerCase())) {
      throw new InvalidValue(`is given twice for ${name}`);
    }
    headers.set(name, line.slice(colon + 1).trim());
  }
  return Object.fromEntries(headers);
}

/** `10/s`, `100/m`, `1/10s`. */
function parseRate(text: string): RateLimit {
  const [, max, interval] = /^(\d+)\/(.+)$/.exec(text) ?? [];
  if (max === undefined || interval === undefined) {
    throw new InvalidValue(`must look like 10/s, 100/m or 1/10s, or be none, not "${text}"`);
  }
  const intervalMs = parseDuration(/^[a-z]/.test(interval) ? `1${interval}` : interval);
  if (intervalMs === 0) {
    throw new InvalidValue(`needs a time that is longer than nothing: "${text}"`);
  }
  return { max: positive.read(max), intervalMs };
}
