import type { JobAction, JobInput } from "@postdate/client";
import { Option, type Command } from "commander";
import { InvalidValue } from "../../config/invalid-value.ts";
import { wholeNumber } from "../../config/kinds-of-value.ts";
import { defaultRates, fastestRate, slowestRate } from "../../domain/job.ts";
import { readOption } from "./read-option.ts";

/** How a command runs its job. */
export interface RunOptions {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly detach?: boolean;
}

/** Also for a command that starts its job in another way. */
export interface StartOptions extends RunOptions {
  readonly idempotencyKey?: string;
}

export interface JobOptions extends StartOptions {
  readonly rate?: string;
  readonly max?: string;
  readonly note?: string;
}

const group = "The job:";

/** How fast it goes and how far, and how it is run. */
export function withJobOptions(command: Command, action: JobAction): Command {
  const most = new Option("--max <number>", "stop after this many messages").helpGroup(group);
  return withRunOptions(withStartOptions(command, action).addOption(most));
}

export function withStartOptions(command: Command, action: JobAction): Command {
  return command
    .addOption(
      new Option(
        "--rate <number>",
        `at most this many messages a second, ${slowestRate} to ${fastestRate} (default: ${defaultRates[action]})`,
      ).helpGroup(group),
    )
    .addOption(
      new Option("--note <text>", "a remark, kept with the job and in the audit log").helpGroup(
        group,
      ),
    )
    .addOption(
      new Option(
        "--idempotency-key <key>",
        "starting again with the same key starts no second job",
      ).helpGroup(group),
    );
}

export function withRunOptions(command: Command): Command {
  return command
    .addOption(new Option("--dry-run", "only show what it would change").helpGroup(group))
    .addOption(new Option("--yes", "start without asking").helpGroup(group))
    .addOption(
      new Option("--detach", "start it and do not watch: it goes on by itself").helpGroup(group),
    );
}

export function limitsOf({
  rate,
  max,
  note,
}: JobOptions): Pick<JobInput, "ratePerSecond" | "maxMessages" | "note"> {
  return {
    ...(rate !== undefined && { ratePerSecond: readOption("--rate", rate, parseRate) }),
    ...(max !== undefined && {
      maxMessages: readOption("--max", max, wholeNumber(1, Number.MAX_SAFE_INTEGER).read),
    }),
    ...(note !== undefined && { note }),
  };
}

/** A number, or `50/s` as rates are written elsewhere. */
export function parseRate(text: string): number {
  const [, number] = /^(\d+)(?:\/s)?$/.exec(text) ?? [];
  const value = Number(number);
  if (number !== undefined && value >= slowestRate && value <= fastestRate) return value;
  throw new InvalidValue(
    `must be messages a second, from ${slowestRate} to ${fastestRate}, not "${text}"`,
  );
}
