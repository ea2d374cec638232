import type { Message } from "@postdate/client";

/** The options of a message as flags of `postdate send`. */
export function optionFlags(message: Message): string[] {
  const { key, labels = {}, contentType, timeoutMs, flexWindowMs, notAfter, notAfterMs } = message;
  return [
    ...flag("--message-key", key),
    ...flag("--content-type", contentType),
    ...Object.entries(labels).flatMap(([name, value]) => ["--label", `${name}=${value}`]),
    ...retryFlags(message),
    ...flag("--timeout", span(timeoutMs)),
    ...flag("--flex", span(flexWindowMs)),
    ...flag("--not-after", span(notAfterMs) ?? notAfter),
  ];
}

function retryFlags({ retryPolicy }: Message): string[] {
  if (retryPolicy === undefined) return [];
  const { maxAttempts, backoff, finalStatuses, maxRetryAfterMs } = retryPolicy;
  const delays =
    backoff.kind === "list"
      ? flag("--backoff", backoff.delaysMs.map(span).join(","))
      : [
          ...flag("--backoff", "exponential"),
          ...flag("--backoff-start", span(backoff.initialMs)),
          ...flag("--backoff-factor", backoff.factor),
          ...flag("--backoff-longest", span(backoff.maxMs)),
        ];
  return [
    ...flag("--max-attempts", maxAttempts),
    ...delays,
    ...flag("--jitter", backoff.jitter),
    ...flag("--final-status", finalStatuses.join(",") || "none"),
    ...flag("--max-retry-after", span(maxRetryAfterMs)),
  ];
}

function flag(name: string, value: string | number | undefined): string[] {
  return value === undefined ? [] : [name, String(value)];
}

function span(ms: number): string;
function span(ms: number | undefined): string | undefined;
function span(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : `${ms}ms`;
}
