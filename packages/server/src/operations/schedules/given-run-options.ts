import type { MessageOptions } from "../../domain/message-options.ts";
import { codes } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import type { SecretBox } from "../../platform/secret-box.ts";
import { valueIsSet } from "../../targets/header-rules.ts";
import type { Headers } from "../../targets/header-rules.ts";
import { openHeaders } from "../../targets/message-headers.ts";
import { readOptions } from "../messages/given-options.ts";
import type { GivenOptions } from "../messages/given-options.ts";

/** The options of each message of a schedule. Those that failed their schema are left out. */
export type GivenRunOptions = Pick<
  GivenOptions,
  "labels" | "retryPolicy" | "notAfterMs" | "headers" | "contentType" | "timeoutMs"
>;

export interface ReadRunOptions {
  readonly problems: Problem[];
  readonly secretBox: SecretBox;
  /** Whose header values a caller may keep without knowing them. */
  readonly kept?: MessageOptions | null;
}

/** Adds to `problems` what the schema cannot check. Null: no option is given. */
export function readRunOptions(
  given: GivenRunOptions | null | undefined,
  { problems, secretBox, kept = null }: ReadRunOptions,
): MessageOptions | null {
  if (given == null) return null;
  const found: Problem[] = [];
  const headers = given.headers && withKeptValues(given.headers, kept, secretBox);
  const options = readOptions({ ...given, headers }, undefined, { problems: found, secretBox });
  problems.push(...found.map(insideMessage));
  return options;
}

/** `"set"` is what answers show in place of a value. */
function withKeptValues(
  given: Headers,
  kept: MessageOptions | null,
  secretBox: SecretBox,
): Headers {
  if (kept?.headers === undefined) return given;
  const values = new Map(
    Object.entries(openHeaders(secretBox, kept.headers)).map(([name, value]) => [
      name.toLowerCase(),
      value,
    ]),
  );
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      value === valueIsSet ? (values.get(name.toLowerCase()) ?? value) : value,
    ]),
  );
}

function insideMessage(problem: Problem): Problem {
  return problem.field === undefined ? problem : { ...problem, field: `message.${problem.field}` };
}

/** Header values are for the target that they were given for. Whoever moves a schedule has to know them. */
export const headersOfAnotherTarget: Problem = {
  code: codes.invalidRequest,
  message:
    "The schedule has headers, and their values are not sent to another target. Give message again, with the values of its headers or without them.",
  field: "message.headers",
};
