import { backoffDelayMs } from "../../domain/retry-policy.ts";
import { commandsOf } from "../target-kinds/kinds.ts";
import type { AnyTarget, Row } from "../target-kinds/target-kind-commands.ts";
import type { AccessKey, TargetStats } from "@postdate/client";
import { onOneLine } from "../terminal/aligned.ts";
import { cardOf } from "../terminal/card.ts";
import { durationText } from "../terminal/duration-text.ts";
import type { Look } from "../terminal/look.ts";
import { counted } from "../terminal/progress.ts";
import { timeBeside, timeCell } from "../terminal/relative-time.ts";
import { tableOf } from "../terminal/table.ts";
import { countText } from "./count-text.ts";

export function targetCard(target: AnyTarget, look: Look): string {
  const { paint, now } = look;
  const settings = settingsOfTarget(target).map(([title, value]): Row => {
    if (title !== "State") return [title, value];
    return [title, paint(target.paused ? "yellow" : "green", value)];
  });
  const rows: readonly Row[] = [
    ["Target", target.targetId],
    ...settings,
    ["Created", timeBeside(target.creationTime, now)],
    ["Changed", timeBeside(target.updateTime, now)],
    ...(target.secret === undefined ? [] : [["Secret", target.secret] as const]),
  ];
  return cardOf(rows, look);
}

/** Everything that can be set. */
export function settingsOfTarget(target: AnyTarget): readonly Row[] {
  const { retryPolicy } = target;
  const kind = commandsOf(target);
  return [
    ["State", target.paused ? "paused" : "active"],
    ...(kind?.rowsOf(target) ?? [["Kind", onOneLine(target.kind)] as const]),
    ["Attempts", `at most ${retryPolicy.maxAttempts} for a message`],
    ["Retries", retriesText(retryPolicy)],
    ["No retry on", finalText([...(kind?.finalStatuses ?? []), ...retryPolicy.finalStatuses])],
    ["Retry-After", `up to ${durationText(retryPolicy.maxRetryAfterMs)}`],
    ["At once", `at most ${target.maxConcurrency}`],
    ["Rate", rateText(target.rateLimit)],
    ["Failing", failingText(target.failingAfter)],
  ];
}

export function targetRows(targets: readonly AnyTarget[], look: Look): string {
  const { paint } = look;
  const rows = targets.map((target) => [
    target.targetId,
    target.paused ? paint("yellow", "paused") : paint("green", "active"),
    commandsOf(target)?.addressOf(target) ?? "-",
  ]);
  const known = targets.flatMap((target) => commandsOf(target)?.addressTitle ?? []);
  const address = [...new Set(known)].join("/");
  return tableOf({ titles: ["TARGET", "STATE", address], rows, shortenable: [address] }, look);
}

export function targetStatsRows(targets: readonly TargetStats[], look: Look): string {
  const { paint } = look;
  const titles = ["TARGET", "STATE", "IN FLIGHT", "WAITING", "DEAD", "FAILED IN THE LAST HOUR"];
  const rows = targets.map(
    ({ targetId, paused, inFlight, maxConcurrency, waiting, deadLetters, lastHour }) => [
      targetId,
      paused ? paint("yellow", "paused") : paint("green", "active"),
      `${counted(inFlight)} of ${counted(maxConcurrency)}`,
      countText(waiting),
      countText(deadLetters),
      `${counted(lastHour.failed)} of ${counted(lastHour.attempts)}`,
    ],
  );
  return tableOf({ titles, rows }, look);
}

export function keyRows(keys: readonly AccessKey[], look: Look): string {
  const titles = ["KEY", "NAME", "CREATED", "SCOPES"];
  const rows = keys.map((key) => [
    key.keyId,
    onOneLine(key.name),
    timeCell(key.creationTime, look.now),
    key.scopes.join(" "),
  ]);
  return tableOf({ titles, rows, shortenable: ["SCOPES", "NAME"] }, look);
}

export function rateText(rate: AnyTarget["rateLimit"]): string {
  if (rate === null) return "unlimited";
  return `at most ${rate.max} in ${durationText(rate.intervalMs)}`;
}

function failingText({ attempts, ms }: AnyTarget["failingAfter"]): string {
  return `told after ${attempts} failures in a row, for ${durationText(ms)}`;
}

const mostDelays = 9;

/** The delays as they are without the random share, which only shortens them. */
export function retriesText({ maxAttempts, backoff }: AnyTarget["retryPolicy"]): string {
  if (maxAttempts === 1) return "none";
  const count = maxAttempts - 1;
  const delays = Array.from({ length: Math.min(count, mostDelays) }, (_, index) =>
    durationText(Math.round(backoffDelayMs({ ...backoff, jitter: 0 }, index + 1, 0))),
  );
  const spread = backoff.jitter === 0 ? "" : ` (up to ${percent(backoff.jitter)} sooner)`;
  return `after ${delays.join(", ")}${count > mostDelays ? ", …" : ""}${spread}`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

export function finalText(statuses: readonly number[]): string {
  if (statuses.length === 0) return "none";
  return [...new Set(statuses)].toSorted((a, b) => a - b).join(", ");
}
