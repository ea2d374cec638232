import type { Command } from "commander";
import { rateLimit, wholeNumber } from "../../config/kinds-of-value.ts";
import { readOption } from "../input/read-option.ts";

/** The fields of an account that can be set, at its creation and later. */
export interface AccountParts {
  readonly name?: string;
  readonly monthlyLimit?: string;
  readonly requestLimit?: string;
}

export function withAccountParts(command: Command): Command {
  return command
    .option("--name <name>", "what to call it")
    .option("--monthly-limit <number>", "messages in a calendar month (UTC), or none")
    .option("--request-limit <count/duration>", "requests in a time, such as 100/1s, or none");
}

const messages = wholeNumber(0, 1_000_000_000_000);

export function accountBody({ name, monthlyLimit, requestLimit }: AccountParts) {
  return {
    ...(name !== undefined && { name }),
    ...(monthlyLimit !== undefined && {
      monthlyMessageLimit: limitOf("--monthly-limit", monthlyLimit, messages.read),
    }),
    ...(requestLimit !== undefined && {
      requestLimit: limitOf("--request-limit", requestLimit, rateLimit.read),
    }),
  };
}

function limitOf<Limit>(name: string, text: string, read: (text: string) => Limit): Limit | null {
  return text === "none" ? null : readOption(name, text, read);
}
