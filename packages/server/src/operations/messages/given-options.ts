import type { ConflictMode } from "../../domain/message-key.ts";
import { isLabelName } from "../../domain/message-options.ts";
import type { GivenBound, MessageOptions } from "../../domain/message-options.ts";
import type { Problem } from "../../domain/refusals.ts";
import { codes } from "../../domain/refusals.ts";
import type { WantedTime } from "../../domain/wanted-time.ts";
import { checkMessageHeaders, markHeaders, sealHeaders } from "../../targets/message-headers.ts";
import type { SecretBox } from "../../platform/secret-box.ts";
import {
  completeRetryPolicy,
  retryPolicyProblem,
} from "../retry-policies/complete-retry-policy.ts";
import type { GivenRetryPolicy } from "../retry-policies/complete-retry-policy.ts";
import { readGivenTime } from "./given-time.ts";

/** The options of a message as a caller gives them. Those that failed their schema are left out. */
export interface GivenOptions extends GivenBoundFields {
  readonly key?: string | undefined;
  readonly onConflict?: ConflictMode | undefined;
  readonly debounce?: { readonly quietMs: number; readonly maxWaitMs?: number } | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly retryPolicy?: GivenRetryPolicy | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly contentType?: string | undefined;
  readonly timeoutMs?: number | undefined;
  readonly flexWindowMs?: number | undefined;
}

export interface GivenBoundFields {
  readonly notAfter?: string | null | undefined;
  readonly notAfterMs?: number | null | undefined;
}

/** Every option, so that a message without any is recognised at once. */
export const optionNames = [
  "key",
  "onConflict",
  "debounce",
  "labels",
  "retryPolicy",
  "notAfter",
  "notAfterMs",
  "headers",
  "contentType",
  "timeoutMs",
  "flexWindowMs",
] as const satisfies readonly (keyof GivenOptions)[];

/** Adds to `problems` what the schema cannot check. Null: the message is a plain one. */
export function readOptions(
  given: GivenOptions,
  deliveryTime: WantedTime | undefined,
  { problems, secretBox }: { readonly problems: Problem[]; readonly secretBox: SecretBox },
): MessageOptions | null {
  const { key, labels, headers, contentType, timeoutMs, flexWindowMs } = given;
  const bound = readBound(given, deliveryTime, problems);
  const retryPolicy = given.retryPolicy && completeRetryPolicy(given.retryPolicy);
  const badPolicy = retryPolicy && retryPolicyProblem(retryPolicy);
  if (badPolicy !== undefined) problems.push(badPolicy);
  if (labels !== undefined) checkLabels(labels, problems);
  if (headers !== undefined || contentType !== undefined) {
    problems.push(...checkMessageHeaders({ headers, contentType }));
  }
  // Field by field: this runs for every message with an option, and most have one or two.
  const options: { -readonly [Name in keyof MessageOptions]: MessageOptions[Name] } = {};
  if (key !== undefined) options.key = key;
  if (isFilled(labels)) options.labels = sorted(labels);
  if (retryPolicy !== undefined) options.retryPolicy = retryPolicy;
  if (bound != null) Object.assign(options, bound);
  if (flexWindowMs !== undefined && flexWindowMs > 0) options.flexWindowMs = flexWindowMs;
  if (contentType !== undefined) options.contentType = contentType;
  if (timeoutMs !== undefined) options.timeoutMs = timeoutMs;
  if (isFilled(headers)) options.headers = sealHeaders(secretBox, headers);
  return Object.keys(options).length === 0 ? null : options;
}

/**
 * The one of the two that is given. Null if both are null, undefined if neither is given. Compares it with the
 * delivery time where that is known; the store compares it with its own clock.
 */
export function readBound(
  { notAfter, notAfterMs }: GivenBoundFields,
  deliveryTime: WantedTime | undefined,
  problems: Problem[],
): GivenBound | null | undefined {
  if (notAfter != null && notAfterMs != null) {
    problems.push(twoBounds);
    return undefined;
  }
  if (notAfterMs != null) return { notAfterMs };
  if (notAfter == null) return notAfter === null || notAfterMs === null ? null : undefined;
  const time = readGivenTime(notAfter, "notAfter", problems);
  if (time === undefined) return undefined;
  if (typeof deliveryTime === "number" && time <= deliveryTime) problems.push(tooLate);
  return { notAfter: time };
}

export function checkLabels(
  labels: Readonly<Record<string, string>>,
  problems: Problem[],
  field = "labels",
): void {
  for (const name in labels) {
    if (isLabelName(name)) continue;
    problems.push({
      code: codes.invalidRequest,
      message: "Name a label with 1 to 40 of the characters a-z, 0-9, '.', '_' and '-'.",
      field: `${field}.${name.slice(0, 40).toWellFormed()}`,
    });
  }
}

function isFilled(
  record: Readonly<Record<string, string>> | undefined,
): record is Readonly<Record<string, string>> {
  return record !== undefined && Object.keys(record).length > 0;
}

/** The order in which a caller writes names means nothing. */
function sorted(record: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const names = Object.keys(record);
  if (isAscending(names)) return record;
  return Object.fromEntries(names.toSorted().map((name) => [name, record[name]!]));
}

function isAscending(names: readonly string[]): boolean {
  for (let index = 1; index < names.length; index++) {
    if (names[index]! < names[index - 1]!) return false;
  }
  return true;
}

/** For the fingerprint of a request: what the caller gave, in one order. Undefined for a plain message. */
export function optionsText(given: GivenOptions, secretBox: SecretBox): string | undefined {
  const { labels, headers } = given;
  const told: Readonly<Record<string, unknown>> = {
    ...given,
    labels: labels && sorted(labels),
    headers: headers && markHeaders(secretBox, sorted(headers)),
  };
  const parts = optionNames.flatMap((name) =>
    told[name] === undefined ? [] : [[name, told[name]]],
  );
  return parts.length === 0 ? undefined : JSON.stringify(parts);
}

const twoBounds: Problem = {
  code: codes.invalidRequest,
  message: "notAfter and notAfterMs are both given. Leave one of them out.",
  field: "notAfterMs",
};

export const tooLate: Problem = {
  code: codes.invalidRequest,
  message:
    "notAfter must be later than now and than the delivery time, or no attempt could start. Give a later one, or leave it out.",
  field: "notAfter",
};
