import type { Command, Option } from "commander";
import { parseDuration } from "../../config/durations.ts";
import { InvalidValue } from "../../config/invalid-value.ts";
import { oneOf, wholeNumber } from "../../config/kinds-of-value.ts";
import type { FailingAfter } from "../../domain/failing-after.ts";
import type { RateLimit } from "../../domain/rate-limit.ts";
import { readOption, readOrDefault } from "../input/read-option.ts";
import type { ReadOptions, TargetKindList } from "../target-kinds/target-kind-commands.ts";

/** What can be given of a target of any kind, when it is made and later; retries are `RetryFlags`. */
export interface TargetFlags extends ReadOptions {
  readonly maxConcurrency?: string;
  readonly rate?: string;
  readonly paused?: string;
  readonly failingAfter?: string;
}

/** The service knows the exact bounds; this only keeps nonsense from travelling. */
const positive = wholeNumber(1, 1_000_000);

/** The flags of the kinds, and behind them those that every kind has. */
export function withTargetFlags(command: Command, kinds: TargetKindList): Command {
  addFlags(
    command,
    kinds.flatMap((kind) => kind.flags()),
  );
  return command
    .option("--max-concurrency <number>", "attempts at once (default: 50)")
    .option("--rate <rate>", "attempts in a time: 10/s, 100/m, 1/10s, or none (the default)")
    .option("--paused <yes|no>", "whether its messages are held back (default: no)")
    .option(
      "--failing-after <attempts/time>",
      "when the event target.failing is told: failures in a row, and for how long (default: 10/1m)",
    );
}

/** What only a change can have, such as a flag that removes something. */
export function withTargetChangeFlags(command: Command, kinds: TargetKindList): Command {
  return addFlags(
    command,
    kinds.flatMap((kind) => kind.changeFlags()),
  );
}

/** A flag that two kinds have is one flag. */
function addFlags(command: Command, flags: readonly Option[]): Command {
  for (const flag of flags) {
    if (!command.options.some(({ long }) => long === flag.long)) command.addOption(flag);
  }
  return command;
}

/** The fields of a request. `default` brings a default back: null, for the service. */
export function targetFields(options: TargetFlags, kinds: TargetKindList): Record<string, unknown> {
  const { maxConcurrency, rate, paused, failingAfter } = options;
  const ofKinds = kinds.map((kind) => kind.fieldsOf(options));
  return {
    ...Object.assign({}, ...ofKinds),
    ...(maxConcurrency !== undefined && {
      maxConcurrency: readOrDefault("--max-concurrency", maxConcurrency, positive.read),
    }),
    ...(rate !== undefined && {
      rateLimit: rate === "none" ? null : readOption("--rate", rate, parseRate),
    }),
    ...(paused !== undefined && {
      paused: readOption("--paused", paused, oneOf(["yes", "no"], "yes|no").read) === "yes",
    }),
    ...(failingAfter !== undefined && {
      failingAfter: readOrDefault("--failing-after", failingAfter, parseFailingAfter),
    }),
  };
}

/** `10/1m`: ten failures in a row, the first of them a minute ago. */
function parseFailingAfter(text: string): FailingAfter {
  const [, attempts, time] = /^(\d+)\/(.+)$/.exec(text) ?? [];
  if (attempts === undefined || time === undefined) {
    throw new InvalidValue(`must look like 10/1m or 3/0s, not "${text}"`);
  }
  return { attempts: positive.read(attempts), ms: parseDuration(time) };
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
