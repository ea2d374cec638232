import { Option, type Command } from "commander";
import { parseDuration } from "../../config/durations.ts";
import { InvalidValue } from "../../config/invalid-value.ts";
import { wholeNumber } from "../../config/kinds-of-value.ts";
import { defaultRetryPolicy, type Backoff, type RetryPolicy } from "../../domain/retry-policy.ts";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import { collect, readOption } from "./read-option.ts";

export interface RetryFlags {
  readonly maxAttempts?: string;
  readonly backoff?: string;
  readonly backoffStart?: string;
  readonly backoffFactor?: string;
  readonly backoffLongest?: string;
  readonly jitter?: string;
  readonly finalStatus?: readonly string[];
  readonly maxRetryAfter?: string;
}

export const retryFlagNames = [
  "maxAttempts",
  "backoff",
  "backoffStart",
  "backoffFactor",
  "backoffLongest",
  "jitter",
  "finalStatus",
  "maxRetryAfter",
] as const satisfies readonly (keyof RetryFlags)[];

const flags: readonly (readonly [flags: string, description: string])[] = [
  ["--max-attempts <number>", "attempts before a message is a dead letter"],
  [
    "--backoff <delays>",
    "how long to wait after each failure: 5s,5m,30m (the last repeats), or exponential",
  ],
  ["--backoff-start <duration>", "exponential: the first delay (default: 5s)"],
  ["--backoff-factor <number>", "exponential: what each further delay is multiplied by"],
  ["--backoff-longest <duration>", "exponential: no delay is longer (default: 12h)"],
  ["--jitter <share>", "the share of each delay that is random: 0 to 1, or 20%"],
  ["--max-retry-after <duration>", "how far Retry-After can put an attempt off (default: 1h)"],
];

export function withRetryFlags(command: Command, group = "Retries:"): Command {
  for (const [names, description] of flags) {
    command.addOption(new Option(names, description).helpGroup(group));
  }
  return command.addOption(
    new Option("--final-status <statuses>", "no retry after these, such as 400,404, or none")
      .argParser(collect)
      .helpGroup(group),
  );
}

/** A retry policy as a request may give it. The service fills in missing parts. */
export type GivenRetryPolicy = Partial<Omit<RetryPolicy, "backoff">> & {
  readonly backoff?: GivenBackoff;
};
type GivenBackoff = Partial<Backoff> & Pick<Backoff, "kind">;

/**
 * The policy that the flags ask for; undefined if none of them is given. Parts that they leave out come
 * from the target's current policy, if it has one.
 */
export function retryPolicyOf(
  options: RetryFlags,
  own?: RetryPolicy,
): GivenRetryPolicy | undefined {
  const backoff = backoffOf(options, own?.backoff);
  const { maxAttempts, finalStatus, maxRetryAfter } = options;
  const given: GivenRetryPolicy = {
    ...(maxAttempts !== undefined && {
      maxAttempts: readOption("--max-attempts", maxAttempts, wholeNumber(1, 1_000_000).read),
    }),
    ...(backoff !== undefined && { backoff }),
    ...(finalStatus !== undefined && {
      finalStatuses: readOption("--final-status", finalStatus.join(), parseStatuses),
    }),
    ...(maxRetryAfter !== undefined && {
      maxRetryAfterMs: readOption("--max-retry-after", maxRetryAfter, parseDuration),
    }),
  };
  return Object.keys(given).length === 0 ? undefined : { ...own, ...given };
}

function backoffOf(options: RetryFlags, own: Backoff | undefined): GivenBackoff | undefined {
  const { backoff } = options;
  const growth = growthOf(options);
  const jitter =
    options.jitter === undefined
      ? {}
      : { jitter: readOption("--jitter", options.jitter, parseShare) };
  const [firstGrowth] = Object.keys(growth).map((part) => growthFlags[part as Growth]);
  if (backoff === "exponential" || (backoff === undefined && firstGrowth !== undefined)) {
    return {
      ...(own?.kind === "exponential" ? own : {}),
      kind: "exponential",
      ...growth,
      ...jitter,
    };
  }
  if (firstGrowth !== undefined) {
    throw new CommandFailed(
      exitCodes.usage,
      `${firstGrowth} belongs to a growing backoff: give it with --backoff exponential, or leave it out.`,
    );
  }
  if (backoff !== undefined) {
    const delaysMs = readOption("--backoff", backoff, parseDelays);
    return { ...(own?.kind === "list" ? own : {}), kind: "list", delaysMs, ...jitter };
  }
  if (options.jitter === undefined) return undefined;
  return { ...(own ?? defaultRetryPolicy.backoff), ...jitter };
}

type Growth = "initialMs" | "factor" | "maxMs";

const growthFlags: Readonly<Record<Growth, string>> = {
  initialMs: "--backoff-start",
  factor: "--backoff-factor",
  maxMs: "--backoff-longest",
};

function growthOf({ backoffStart, backoffFactor, backoffLongest }: RetryFlags) {
  return {
    ...(backoffStart !== undefined && {
      initialMs: readOption(growthFlags.initialMs, backoffStart, parseDuration),
    }),
    ...(backoffFactor !== undefined && {
      factor: readOption(growthFlags.factor, backoffFactor, parseFactor),
    }),
    ...(backoffLongest !== undefined && {
      maxMs: readOption(growthFlags.maxMs, backoffLongest, parseDuration),
    }),
  };
}

function parseDelays(text: string): number[] {
  return text.split(",").map((delay) => parseDuration(delay.trim()));
}

function parseStatuses(text: string): number[] {
  if (text === "none") return [];
  const status = wholeNumber(100, 599);
  return text.split(",").map((part) => status.read(part.trim()));
}

function parseFactor(text: string): number {
  const factor = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && factor >= 1 && factor <= 100) return factor;
  throw new InvalidValue(`must be a number from 1 to 100, not "${text}"`);
}

/** 0.2 and 20% mean the same. */
function parseShare(text: string): number {
  const [, number, percent] = /^(\d+(?:\.\d+)?)(\s*%)?$/.exec(text) ?? [];
  const share = Number(number) / (percent === undefined ? 1 : 100);
  if (number !== undefined && share <= 1) return share;
  throw new InvalidValue(`must be a share from 0 to 1 or from 0% to 100%, not "${text}"`);
}
