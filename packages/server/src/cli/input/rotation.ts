import type { RotateSecret } from "@postdate/client";
import type { Command } from "commander";
import { duration } from "../../config/kinds-of-value.ts";
import { defaultOverlapMs } from "../../domain/rotated-secrets.ts";
import { formatTime } from "../../domain/times.ts";
import { timeBeside } from "../terminal/relative-time.ts";
import { readOption } from "./read-option.ts";

export interface RotationFlags {
  readonly overlap?: string;
  readonly secret?: string;
}

const longest = duration("0s", "7d");

/** How a signing secret is exchanged. */
export function withRotation(command: Command): Command {
  return command
    .option("--overlap <duration>", "how long the old one also signs, up to 7d (default: 24h)")
    .option("--secret <secret>", "the new secret, whsec_… (default: generated)");
}

export function rotationOf({ overlap, secret }: RotationFlags): RotateSecret {
  return {
    ...(overlap !== undefined && { overlapMs: readOption("--overlap", overlap, longest.read) }),
    ...(secret !== undefined && { secret }),
  };
}

/** How long the old secret signs, by the clock of this machine. */
export function oldSecretText(
  { overlapMs = defaultOverlapMs, secret }: RotateSecret,
  now: number,
): string {
  const text = untilWhen("signs", overlapMs, now);
  return secret === undefined ? text : `${text} ${ifItIsCurrent}`;
}

/** How long the old secret of an OAuth client counts. */
export function oldClientSecretText(overlapMs = defaultOverlapMs, now: number): string {
  return untilWhen("works", overlapMs, now);
}

function untilWhen(does: string, overlapMs: number, now: number): string {
  const until = timeBeside(formatTime(now + overlapMs), now);
  return overlapMs > 0
    ? `The old secret also ${does} until ${until}.`
    : `The old secret no longer ${does}.`;
}

/** Nobody can ask the service which secret is the current one. */
const ifItIsCurrent =
  "If you gave the current secret again, the overlap stays as it is, or becomes longer.";
