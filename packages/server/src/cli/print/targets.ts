import { formatDuration } from "../../config/durations.ts";
import { backoffDelayMs } from "../../domain/retry-policy.ts";
import type { WireKey, WireTarget } from "../wire.ts";
import { alignedRows, onOneLine } from "./aligned.ts";
import type { Look } from "./messages.ts";
import { timeBeside } from "./relative-time.ts";

/** Header values may be credentials: only their names are shown. */
export function targetCard(target: WireTarget, { paint, now }: Look): string {
  const headerNames = Object.keys(target.headers);
  const rows: readonly (readonly [string, string])[] = [
    ["Target", target.targetId],
    ["State", target.paused ? paint("yellow", "paused") : paint("green", "active")],
    ["URL", onOneLine(target.url)],
    ["Content type", target.contentType],
    ["Headers", headerNames.length === 0 ? "-" : headerNames.join(", ")],
    ["Timeout", formatDuration(target.timeoutMs)],
    ["Attempts", `at most ${target.retryPolicy.maxAttempts} for a message`],
    ["Retries", retriesText(target.retryPolicy)],
    ["At once", `at most ${target.maxConcurrency}`],
    ["Rate", rateText(target.rateLimit)],
    ["Created", timeBeside(target.creationTime, now)],
    ["Changed", timeBeside(target.updateTime, now)],
    ...(target.secret === undefined ? [] : [["Secret", target.secret] as const]),
  ];
  return alignedRows(rows.map(([title, value]) => [paint("bold", title), value]));
}

export function targetRows(targets: readonly WireTarget[], { paint }: Look): string {
  return alignedRows([
    ["TARGET", "STATE", "URL"].map((cell) => paint("bold", cell)),
    ...targets.map((target) => [
      target.targetId,
      target.paused ? paint("yellow", "paused") : paint("green", "active"),
      onOneLine(target.url),
    ]),
  ]);
}

export function keyRows(keys: readonly WireKey[], { paint, now }: Look): string {
  return alignedRows([
    ["KEY", "NAME", "CREATED", "SCOPES"].map((cell) => paint("bold", cell)),
    ...keys.map((key) => [
      key.keyId,
      onOneLine(key.name),
      timeBeside(key.creationTime, now),
      key.scopes.join(" "),
    ]),
  ]);
}

export function rateText(rate: WireTarget["rateLimit"]): string {
  if (rate === null) return "unlimited";
  return `at most ${rate.max} in ${formatDuration(rate.intervalMs)}`;
}

const mostDelays = 9;

/** The delays without their jitter, which only shortens them. */
function retriesText({ maxAttempts, backoff }: WireTarget["retryPolicy"]): string {
  if (maxAttempts === 1) return "none";
  const count = Math.min(maxAttempts - 1, mostDelays);
  const delays = Array.from({ length: count }, (_, index) =>
    formatDuration(Math.round(backoffDelayMs({ ...backoff, jitter: 0 }, index + 1, 0))),
  );
  return `after ${delays.join(", ")}${maxAttempts - 1 > mostDelays ? ", …" : ""}`;
}
