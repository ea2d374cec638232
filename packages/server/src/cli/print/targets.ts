import { backoffDelayMs } from "../../domain/retry-policy.ts";
import type { WireKey, WireTarget } from "../wire.ts";
import { alignedRows, onOneLine } from "./aligned.ts";
import { durationText } from "./duration-text.ts";
import type { Look } from "./look.ts";
import { timeBeside } from "./relative-time.ts";
import { tableOf } from "./table.ts";

/** Header values may be credentials: only their names are shown. */
export function targetCard(target: WireTarget, { paint, now }: Look): string {
  const headerNames = Object.keys(target.headers);
  const rows: readonly (readonly [string, string])[] = [
    ["Target", target.targetId],
    ["State", target.paused ? paint("yellow", "paused") : paint("green", "active")],
    ["URL", onOneLine(target.url)],
    ["Content type", target.contentType],
    ["Headers", headerNames.length === 0 ? "-" : headerNames.join(", ")],
    ["Timeout", durationText(target.timeoutMs)],
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

export function targetRows(targets: readonly WireTarget[], look: Look): string {
  const { paint } = look;
  const rows = targets.map((target) => [
    target.targetId,
    target.paused ? paint("yellow", "paused") : paint("green", "active"),
    onOneLine(target.url),
  ]);
  return tableOf({ titles: ["TARGET", "STATE", "URL"], rows, shortenable: ["URL"] }, look);
}

export function keyRows(keys: readonly WireKey[], look: Look): string {
  const titles = ["KEY", "NAME", "CREATED", "SCOPES"];
  const rows = keys.map((key) => [
    key.keyId,
    onOneLine(key.name),
    timeBeside(key.creationTime, look.now),
    key.scopes.join(" "),
  ]);
  return tableOf({ titles, rows, shortenable: ["SCOPES", "NAME"] }, look);
}

export function rateText(rate: WireTarget["rateLimit"]): string {
  if (rate === null) return "unlimited";
  return `at most ${rate.max} in ${durationText(rate.intervalMs)}`;
}

const mostDelays = 9;

/** The delays without their jitter, which only shortens them. */
function retriesText({ maxAttempts, backoff }: WireTarget["retryPolicy"]): string {
  if (maxAttempts === 1) return "none";
  const count = Math.min(maxAttempts - 1, mostDelays);
  const delays = Array.from({ length: count }, (_, index) =>
    durationText(Math.round(backoffDelayMs({ ...backoff, jitter: 0 }, index + 1, 0))),
  );
  return `after ${delays.join(", ")}${maxAttempts - 1 > mostDelays ? ", …" : ""}`;
}
