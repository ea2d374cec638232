import type { RotateSecret } from "@postdate/client";
import type { Command } from "commander";
import { duration } from "../../config/kinds-of-value.ts";
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
