import type { Clock } from "../../platform/clock.ts";
import { paintFor } from "./colours.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { durationText } from "./duration-text.ts";

export interface Progress {
  /** Adds `count` finished rows; `what` names their kind. */
  add(count: number, what: string): void;
  /** Removes the bar and reports what was done. */
  finish(): void;
  /** Removes the bar, so that the next text has a line of its own. */
  clear(): void;
}

export interface ProgressOptions {
  /** The verb in two forms, such as "Copying" and "Copied". */
  readonly title: readonly [doing: string, done: string];
  /** Null if nobody knows. */
  readonly total: number | null;
  /** The number of rows that an earlier run did. */
  readonly done?: number;
}

const betweenDrawsMs = 100;
const betweenLinesMs = 10_000;
const shortestBar = 10;
const longestBar = 24;
const eraseLine = "\r\u001b[K";

/** A bar on a terminal; otherwise a line now and then, for a log. */
export function startProgress(
  {
    stderr,
    env,
    clock,
  }: Pick<Surroundings, "stderr" | "env"> & { clock: Pick<Clock, "monotonic"> },
  { title: [doing, ended], total, done: before = 0 }: ProgressOptions,
): Progress {
  const paint = paintFor(stderr, env);
  const isTerminal = stderr.isTTY === true && env["TERM"] !== "dumb";
  const startedAt = clock.monotonic();
  let done = before;
  let shownAt = startedAt;
  let isDrawn = false;

  const elapsedMs = (): number => clock.monotonic() - startedAt;
  const rate = (): number => ((done - before) * 1_000) / Math.max(1, elapsedMs());
  const clear = (): void => {
    if (isDrawn) stderr.write(eraseLine);
    isDrawn = false;
  };
  const facts = (what: string): string[] => [
    total === null ? `${counted(done)} so far` : `${counted(done)} of ${counted(total)}`,
    `${counted(rate())}/s`,
    ...(total !== null && rate() > 0
      ? [`${roughly((1_000 * Math.max(0, total - done)) / rate())} left`]
      : []),
    ...(what === "" ? [] : [what]),
  ];
  const draw = (what: string): void => {
    if (total === null) {
      stderr.write(`${eraseLine}${paint("bold", doing)} ${facts(what).join(", ")}`);
      isDrawn = true;
      return;
    }
    const share = total === 0 ? 1 : Math.min(1, done / total);
    const percent = `${Math.floor(share * 100)} %`.padStart(5);
    // The last column stays free, because some terminals break the line there.
    const room = (stderr.columns ?? 100) - doing.length - percent.length - 5;
    const shown = facts(what);
    while (shown.length > 1 && shown.join(", ").length + shortestBar > room) shown.pop();
    const width = Math.max(shortestBar, Math.min(longestBar, room - shown.join(", ").length));
    const filled = Math.floor(share * width);
    const bar = paint("green", "█".repeat(filled)) + paint("dim", "░".repeat(width - filled));
    stderr.write(`${eraseLine}${paint("bold", doing)} ${bar} ${percent}  ${shown.join(", ")}`);
    isDrawn = true;
  };

  if (isTerminal) draw("starting");
  return {
    add(count, what) {
      done += count;
      const sinceShownMs = clock.monotonic() - shownAt;
      if (sinceShownMs < (isTerminal ? betweenDrawsMs : betweenLinesMs)) return;
      shownAt = clock.monotonic();
      if (isTerminal) draw(what);
      else stderr.write(`${doing}: ${facts(what).join(", ")}\n`);
    },
    finish() {
      clear();
      if (done === before) return;
      const many = `${ended} ${counted(done - before)} rows`;
      stderr.write(`${many} in ${durationText(elapsedMs())} (${counted(rate())}/s).\n`);
    },
    clear,
  };
}

/** 1234567 as "1,234,567". */
export function counted(count: number): string {
  return Math.round(count).toLocaleString("en-US");
}

/** A rough duration, in whole seconds. */
function roughly(durationMs: number): string {
  const seconds = Math.ceil(durationMs / 1_000);
  return seconds === 0 ? "0 s" : durationText(seconds * 1_000);
}
