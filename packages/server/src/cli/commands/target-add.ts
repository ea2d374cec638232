import type { Command } from "commander";
import { parseDuration } from "../../config/durations.ts";
import { InvalidValue } from "../../config/invalid-value.ts";
import { wholeNumber } from "../../config/kinds-of-value.ts";
import { defaultRetryPolicy } from "../../domain/retry-policy.ts";
import type { RateLimit } from "../../domain/rate-limit.ts";
import { apiCommand, connect } from "../connection.ts";
import { examples } from "../examples.ts";
import { targetCard } from "../print/targets.ts";
import { collect, readOption } from "../read-option.ts";
import type { Surroundings } from "../surroundings.ts";
import type { WireTarget } from "../wire.ts";

interface AddOptions {
  readonly id?: string;
  readonly header?: readonly string[];
  readonly contentType?: string;
  readonly timeout?: string;
  readonly maxConcurrency?: string;
  readonly maxAttempts?: string;
  readonly rate?: string;
  readonly secret?: string;
}

/** The service knows the exact bounds; this only keeps nonsense from travelling. */
const positive = wholeNumber(1, 1_000_000);

export function addTargetAdd(target: Command, surroundings: Surroundings): void {
  const command = apiCommand(target, "add <url>")
    .description("make a target: messages to it are POSTed to the address")
    .option("--id <targetId>", "its name, up to 64 of A-Z a-z 0-9 _ - (default: generated)")
    .option("--header <header>", "a header to send along, as 'Name: value'; repeatable", collect)
    .option("--content-type <type>", "default: text/plain; charset=utf-8")
    .option("--timeout <duration>", "how long an attempt may take (default: 15s)")
    .option("--max-concurrency <number>", "attempts at once (default: 50)")
    .option("--max-attempts <number>", "attempts before a message is a dead letter (default: 10)")
    .option("--rate <rate>", "attempts in a time: 10/s, 100/m, 1/10s (default: unlimited)")
    .option("--secret <secret>", "the signing secret, whsec_… (default: generated)")
    .addHelpText(
      "after",
      examples(
        ["postdate target add https://example.com/hooks --id billing", "with the defaults"],
        ["postdate target add https://example.com/hooks --rate 10/s --timeout 5s", "gently"],
      ),
    )
    .action(async (url: string, options: AddOptions) => {
      const { api, show, note } = connect(command, surroundings);
      const body = targetBody(url, options);
      const added = await api.call<WireTarget>({ method: "POST", path: "/targets", body });
      show(added, (look) => targetCard(added, look));
      if (added.secret !== undefined) note("The secret is not shown again: keep it now.");
    });
}

function targetBody(url: string, options: AddOptions): Record<string, unknown> {
  const { id, header, contentType, timeout, maxConcurrency, maxAttempts, rate, secret } = options;
  const number = (name: string, text: string): number => readOption(name, text, positive.read);
  return {
    kind: "webhook",
    url,
    ...(id !== undefined && { targetId: id }),
    ...(header !== undefined && { headers: readOption("--header", "", () => headersOf(header)) }),
    ...(contentType !== undefined && { contentType }),
    ...(timeout !== undefined && { timeoutMs: readOption("--timeout", timeout, parseDuration) }),
    ...(maxConcurrency !== undefined && {
      maxConcurrency: number("--max-concurrency", maxConcurrency),
    }),
    ...(maxAttempts !== undefined && {
      retryPolicy: { ...defaultRetryPolicy, maxAttempts: number("--max-attempts", maxAttempts) },
    }),
    ...(rate !== undefined && { rateLimit: readOption("--rate", rate, parseRate) }),
    ...(secret !== undefined && { secret }),
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
    throw new InvalidValue(`must look like 10/s, 100/m or 1/10s, not "${text}"`);
  }
  const intervalMs = parseDuration(/^[a-z]/.test(interval) ? `1${interval}` : interval);
  if (intervalMs === 0)
    throw new InvalidValue(`needs a time that is longer than nothing: "${text}"`);
  return { max: positive.read(max), intervalMs };
}
