import type { MessageOptions } from "@postdate/client";
import { Option, type Command } from "commander";
import { conflictModes, type ConflictMode } from "../../domain/message-key.ts";
import { InvalidValue } from "../../config/invalid-value.ts";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import { durationMsOf } from "./moment/duration-words.ts";
import { readOption } from "./read-option.ts";

export interface MessageKeyOptions {
  readonly messageKey?: string;
  readonly onConflict?: ConflictMode;
  readonly quiet?: string;
  readonly maxWait?: string;
}

const group = "One pending message for one thing:";

export function withMessageKey(command: Command): Command {
  const flags = [
    new Option(
      "--message-key <key>",
      "your name for what it is about: one pending message of a target at most has it",
    ),
    new Option(
      "--on-conflict <mode>",
      "if a pending message has the key: refuse this one (reject, the default), keep that one, replace it, replace all but its time, or debounce",
    ).choices(conflictModes),
    new Option(
      "--quiet <duration>",
      "debounce: deliver once nothing more was sent with the key for so long",
    ).conflicts(["in", "at"]),
    new Option(
      "--max-wait <duration>",
      "debounce: at the latest so long after the first (default: ten times --quiet)",
    ),
  ];
  for (const flag of flags) command.addOption(flag.helpGroup(group));
  return command;
}

type WantedKey = Pick<MessageOptions, "key" | "onConflict" | "debounce">;
type Debounce = NonNullable<WantedKey["debounce"]>;

/** What the options say about the key of a message. */
export function messageKeyOf({
  messageKey,
  onConflict,
  quiet,
  maxWait,
}: MessageKeyOptions): WantedKey {
  if (messageKey === undefined) {
    refuseWithoutKey({ "--on-conflict": onConflict, "--quiet": quiet, "--max-wait": maxWait });
    return {};
  }
  const key = readOption("--message-key", messageKey, existing);
  const isDebounce = onConflict === "debounce";
  if (quiet === undefined) {
    if (isDebounce || maxWait !== undefined) {
      throw usage("Say how long nothing more must come before it is sent, such as --quiet 10m.");
    }
    return { key, ...(onConflict !== undefined && { onConflict }) };
  }
  if (onConflict !== undefined && !isDebounce) {
    throw usage(
      `--quiet means --on-conflict debounce: leave it out, or --on-conflict ${onConflict}.`,
    );
  }
  return { key, onConflict: "debounce", debounce: debounceOf(quiet, maxWait) };
}

function debounceOf(quiet: string, maxWait: string | undefined): Debounce {
  const quietMs = readOption("--quiet", quiet, durationMsOf);
  if (maxWait === undefined) return { quietMs };
  const maxWaitMs = readOption("--max-wait", maxWait, durationMsOf);
  if (maxWaitMs >= quietMs) return { quietMs, maxWaitMs };
  throw usage(`--max-wait ${maxWait} is shorter than --quiet ${quiet}: give a longer one.`);
}

function refuseWithoutKey(flags: Readonly<Record<string, string | undefined>>): void {
  const [given] = Object.entries(flags).find(([, value]) => value !== undefined) ?? [];
  if (given === undefined) return;
  throw usage(
    `${given} is about the key of a message: give it with --message-key. (--key is the API key.)`,
  );
}

function existing(key: string): string {
  if (key !== "") return key;
  throw new InvalidValue("is empty; write a name such as digest-of-4711");
}

function usage(message: string): CommandFailed {
  return new CommandFailed(exitCodes.usage, message);
}
