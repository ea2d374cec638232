import { Option, type Command } from "commander";
import { InvalidValue } from "../../config/invalid-value.ts";
import { wholeNumber } from "../../config/kinds-of-value.ts";
import { catchUpModes, overlaps, type CatchUp } from "../../domain/schedules/schedule.ts";
import { withMessageFlags, type MessageFlags } from "./message-options.ts";
import { durationMsOf } from "./moment/duration-words.ts";
import { readOption, readOrNone } from "./read-option.ts";
import { withRecurrence, type RecurrenceFlags } from "./recurrence-flags.ts";

/** What can be given of a schedule, when it is made and later. */
export interface ScheduleFlags extends RecurrenceFlags, MessageFlags {
  readonly target?: string;
  readonly file?: string;
  readonly maxRuns?: string;
  readonly overlap?: string;
  readonly catchUp?: string;
  readonly pauseAfterDeadLetters?: string;
  readonly notAfter?: string;
}

const group = "Its runs:";
const ofMessages = "For each message:";

export function withScheduleFlags(command: Command): Command {
  withRecurrence(command.option("--file <path>", "take the payload from a file"), "its creation");
  const flags = [
    new Option("--max-runs <number>", "end after so many runs made by time, or none (the default)"),
    new Option(
      "--flex <duration>",
      "spread its messages: each is due at some instant within so long after its run time, up to 1d",
    ),
    new Option(
      "--overlap <what>",
      "if the message before is still scheduled: allow both (the default), skip the run, replace that message, or queue the run",
    ).choices(overlaps),
    new Option(
      "--catch-up <last|all|none>",
      "which runs to make that were missed in an outage (default: last); all:1d are those of the last day",
    ),
    new Option(
      "--pause-after-dead-letters <number>",
      "pause when so many runs in a row became dead letters, 1 to 100, or none (the default)",
    ),
  ];
  for (const flag of flags) command.addOption(flag.helpGroup(group));
  const notAfter = new Option(
    "--not-after <duration>",
    "do not deliver a message this long after it was due, or later",
  );
  return withMessageFlags(command, ofMessages).addOption(notAfter.helpGroup(ofMessages));
}

/** The fields of a request that the flags set, except for when it is due and the options of messages. */
export function scheduleFieldsOf(flags: ScheduleFlags) {
  const { target, maxRuns, flex, overlap, catchUp, pauseAfterDeadLetters: deadLetters } = flags;
  return {
    ...(target !== undefined && { targetId: target }),
    ...(maxRuns !== undefined && { maxRuns: readOrNone("--max-runs", maxRuns, positive) }),
    ...(flex !== undefined && { flexWindowMs: readOrNone("--flex", flex, durationMsOf) }),
    ...(overlap !== undefined && { overlap }),
    ...(catchUp !== undefined && { catchUp: readOption("--catch-up", catchUp, parseCatchUp) }),
    ...(deadLetters !== undefined && {
      pauseAfterDeadLetters: readOrNone(
        "--pause-after-dead-letters",
        deadLetters,
        wholeNumber(1, 100).read,
      ),
    }),
  };
}

/** The part of `message` that no flag of a single message has in this form. */
export function notAfterMsOf({ notAfter }: ScheduleFlags): { readonly notAfterMs?: number } {
  if (notAfter === undefined) return {};
  return { notAfterMs: readOption("--not-after", notAfter, durationMsOf) };
}

/** The service knows the exact bound; this only keeps nonsense from travelling. */
const positive = wholeNumber(1, 1_000_000_000).read;

/** `last`, `all:1d`. */
function parseCatchUp(text: string): Partial<CatchUp> {
  const [word, window] = text.split(/:(.*)/s, 2);
  const mode = catchUpModes.find((each) => each === word);
  if (mode === undefined) {
    throw new InvalidValue(`must be last, all or none, or one of them as in all:1d, not "${text}"`);
  }
  return { mode, ...(window !== undefined && { windowMs: durationMsOf(window) }) };
}
