import type { Message } from "@postdate/client";
import type { Row } from "../target-kinds/target-kind-commands.ts";
import { onOneLine } from "../terminal/aligned.ts";
import { durationText } from "../terminal/duration-text.ts";
import { timeBeside } from "../terminal/relative-time.ts";
import { finalText, retriesText } from "./targets.ts";

type Options = Pick<Message, "labels" | "headers" | "contentType" | "timeoutMs" | "retryPolicy">;

/** What is set for this message alone, and what has made it. */
export function messageRows(message: Message, now: number): readonly Row[] {
  const { key, notAfter, flexWindowMs, scheduleId, runTime } = message;
  return [
    ...given([
      ["Schedule", scheduleId && onOneLine(scheduleId)],
      ["Run time", runTime && timeBeside(runTime, now)],
      ["Key", key && onOneLine(key)],
      ["Not after", notAfter && timeBeside(notAfter, now)],
      ["Spread over", flexWindowMs === undefined ? undefined : durationText(flexWindowMs)],
    ]),
    ...optionRows(message),
  ];
}

/** The options of each message of a schedule. */
export function optionRowsOfRuns(options: Options & Pick<Message, "notAfterMs">): readonly Row[] {
  const { notAfterMs } = options;
  const late = notAfterMs === undefined ? undefined : `${durationText(notAfterMs)} after it is due`;
  return [...given([["Not after", late]]), ...optionRows(options)];
}

/** The options that are set. Of headers only the names, as of a target's. */
function optionRows(options: Options): readonly Row[] {
  const { labels, headers, contentType, timeoutMs, retryPolicy } = options;
  return given([
    ["Labels", labels && labelsText(labels)],
    ["Headers", headers && Object.keys(headers).join(", ")],
    ["Content type", contentType && onOneLine(contentType)],
    ["Timeout", timeoutMs === undefined ? undefined : durationText(timeoutMs)],
    ...(retryPolicy === undefined ? [] : retryRows(retryPolicy)),
  ]);
}

function given(
  rows: readonly (readonly [title: string, value: string | undefined])[],
): readonly Row[] {
  return rows.flatMap(([title, value]) => (value === undefined ? [] : [[title, value] as const]));
}

function labelsText(labels: Readonly<Record<string, string>>): string {
  const texts = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  return onOneLine(texts.join(", "));
}

function retryRows(retryPolicy: NonNullable<Message["retryPolicy"]>): readonly Row[] {
  const { maxAttempts, finalStatuses, maxRetryAfterMs } = retryPolicy;
  return [
    ["Attempts", `at most ${maxAttempts}`],
    ["Retries", retriesText(retryPolicy)],
    ...(finalStatuses.length === 0 ? [] : [["No retry on", finalText(finalStatuses)] as const]),
    ["Retry-After", `up to ${durationText(maxRetryAfterMs)}`],
  ];
}
