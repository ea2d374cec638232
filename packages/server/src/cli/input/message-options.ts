import { Option, type Command } from "commander";
import { parseDuration } from "../../config/durations.ts";
import type { RetryPolicy } from "../../domain/retry-policy.ts";
import type { Input } from "../surroundings/surroundings.ts";
import { headerLines, headersOf } from "./header-lines.ts";
import { labelOption, labelsOf, type LabelOptions } from "./labels.ts";
import { durationMsOf } from "./moment/duration-words.ts";
import { collect, readOption } from "./read-option.ts";
import { retryFlagNames, retryPolicyOf, withRetryFlags, type RetryFlags } from "./retry-flags.ts";

export interface MessageFlags extends LabelOptions, RetryFlags {
  readonly header?: readonly string[];
  readonly headerFile?: string;
  readonly contentType?: string;
  readonly timeout?: string;
  readonly flex?: string;
}

/** Without `flex`, which a schedule has itself. */
export const messageFlagNames = [
  "label",
  "header",
  "headerFile",
  "contentType",
  "timeout",
  ...retryFlagNames,
] as const satisfies readonly (keyof MessageFlags)[];

const ofOne = "For this message:";

/** What one message may have that its target has not. */
export function withMessageFlags(command: Command, group = ofOne): Command {
  const flags = [
    labelOption("a name of your own to find it by, as order=17"),
    new Option(
      "--header <header>",
      "a header to send, as 'Name: value', besides the target's; repeatable",
    ).argParser(collect),
    new Option(
      "--header-file <path>",
      "take headers from a file, one on each line, or - for stdin: secrets stay out of the shell's history",
    ),
    new Option("--content-type <type>", "instead of the target's"),
    new Option("--timeout <duration>", "how long an attempt may take, instead of the target's"),
  ];
  for (const flag of flags) command.addOption(flag.helpGroup(group));
  return withRetryFlags(command, "Retries, all instead of the target's:");
}

export function flexFlag(): Option {
  return new Option(
    "--flex <duration>",
    "deliver at some instant within so long after the delivery time, to spread many messages",
  ).helpGroup(ofOne);
}

/** The fields of a request that the flags set. Parts of a policy that they leave out come from `own`. */
export async function messageOptionsOf(flags: MessageFlags, stdin: Input, own?: RetryPolicy) {
  const { contentType, timeout, flex } = flags;
  const labels = labelsOf(flags);
  const headers = await givenHeaders(flags, stdin);
  const retryPolicy = retryPolicyOf(flags, own);
  return {
    ...(labels !== undefined && { labels }),
    ...(headers !== undefined && { headers }),
    ...(contentType !== undefined && { contentType }),
    ...(timeout !== undefined && { timeoutMs: readOption("--timeout", timeout, parseDuration) }),
    ...(flex !== undefined && { flexWindowMs: readOption("--flex", flex, durationMsOf) }),
    ...(retryPolicy !== undefined && { retryPolicy }),
  };
}

async function givenHeaders(
  { header = [], headerFile }: MessageFlags,
  stdin: Input,
): Promise<Record<string, string> | undefined> {
  if (headerFile === undefined && header.length === 0) return undefined;
  const ofFile = headerFile === undefined ? [] : await headerLines(headerFile, stdin);
  return readOption("--header", "", () => headersOf([...header, ...ofFile]));
}
