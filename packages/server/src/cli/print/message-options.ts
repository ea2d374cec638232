import type { Message } from "@postdate/client";
import type { Row } from "../target-kinds/target-kind-commands.ts";
import { onOneLine } from "../terminal/aligned.ts";
import { durationText } from "../terminal/duration-text.ts";
import { timeBeside } from "../terminal/relative-time.ts";
import { finalText, retriesText } from "./targets.ts";

/** The options that are set for this message. Of headers only the names, as of a target's. */
export function optionRows(message: Message, now: number): readonly Row[] {
  const { key, labels, notAfter, headers, contentType, timeoutMs, flexWindowMs } = message;
  const rows: readonly (readonly [title: string, value: string | undefined])[] = [
    ["Key", key && onOneLine(key)],
    ["Labels", labels && labelsText(labels)],
    ["Not after", notAfter && timeBeside(notAfter, now)],
    ["Spread over", flexWindowMs === undefined ? undefined : durationText(flexWindowMs)],
    ["Headers", headers && Object.keys(headers).join(", ")],
    ["Content type", contentType && onOneLine(contentType)],
    ["Timeout", timeoutMs === undefined ? undefined : durationText(timeoutMs)],
    ...retryRows(message),
  ];
  return rows.flatMap(([title, value]) => (value === undefined ? [] : [[title, value] as const]));
}

function labelsText(labels: Readonly<Record<string, string>>): string {
  const texts = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  return onOneLine(texts.join(", "));
}

function retryRows({ retryPolicy }: Message): readonly Row[] {
  if (retryPolicy === undefined) return [];
  const { maxAttempts, finalStatuses, maxRetryAfterMs } = retryPolicy;
  return [
    ["Attempts", `at most ${maxAttempts}`],
    ["Retries", retriesText(retryPolicy)],
    ...(finalStatuses.length === 0 ? [] : [["No retry on", finalText(finalStatuses)] as const]),
    ["Retry-After", `up to ${durationText(maxRetryAfterMs)}`],
  ];
}
