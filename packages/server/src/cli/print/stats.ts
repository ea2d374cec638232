import type {
  Activity,
  AttemptCounts,
  Count,
  DeadLetterGroupList,
  Forecast,
  Stats,
} from "@postdate/client";
import type { Zone } from "../../domain/time-zones/time-zone.ts";
import { bar, stackedBar } from "../terminal/bar.ts";
import { cardOf } from "../terminal/card.ts";
import { durationText } from "../terminal/duration-text.ts";
import type { Look } from "../terminal/look.ts";
import { counted } from "../terminal/progress.ts";
import { timeCell } from "../terminal/relative-time.ts";
import { tableOf } from "../terminal/table.ts";
import { countText } from "./count-text.ts";
import { bucketWords, chartOf } from "./chart.ts";
import { many } from "./job-words.ts";
import { reasonOf } from "./messages.ts";

export function statsCard(stats: Stats, look: Look): string {
  const alarming = (count: Count): string => {
    const text = countText(count);
    return count.value > 0 ? look.paint("red", text) : text;
  };
  return cardOf(
    [
      ["Pending", countText(stats.pending)],
      ["Overdue", countText(stats.overdue)],
      ["Due in a minute", countText(stats.dueInMinute)],
      ["Due in an hour", countText(stats.dueInHour)],
      ["Due in a day", countText(stats.dueInDay)],
      ["Dead letters", alarming(stats.deadLetters)],
    ],
    look,
  );
}

/** Runs of schedules look other than messages also without colours. */
const ofMessages = { style: "cyan", fill: "█" } as const;
const ofRuns = { style: "yellow", fill: "░" } as const;

export function forecastChart(forecast: Forecast, zone: Zone, look: Look): string {
  const { bucket, items, overdue, exact, runsExact } = forecast;
  const { paint } = look;
  const largest = Math.max(0, ...items.map((item) => item.messages + runsIn(item)));
  const total = items.reduce((sum, { messages }) => sum + messages, 0);
  const runs = items.reduce((sum, item) => sum + runsIn(item), 0);
  const hasRuns = runs > 0;
  const lines = items.map((item) => ({
    time: item.time,
    isEmpty: item.messages + runsIn(item) === 0,
    figures: [counted(item.messages), ...(hasRuns ? [plus(runsIn(item))] : [])],
    bar(width: number) {
      if (!hasRuns) return paint(ofMessages.style, bar(item.messages, largest, width));
      const parts = [
        { ...ofMessages, value: item.messages },
        { ...ofRuns, value: runsIn(item) },
      ];
      return stackedBar(parts, largest, { width, paint });
    },
  }));
  const due = `${atLeast(exact)}${many(total, "message")} due`;
  const toCome = `, and ${atLeast(runsExact)}${many(runs, "run")} of schedules`;
  const title = `${due}${hasRuns ? toCome : ""} ${about(forecast)}(${bucketWords(bucket, zone)})`;
  const legend = [
    `${paint(ofMessages.style, ofMessages.fill)} scheduled already`,
    `${paint(ofRuns.style, ofRuns.fill)} to be made by schedules`,
  ];
  return [
    `${paint("bold", sentence(title))}\n`,
    ...(overdue > 0 ? [paint("yellow", `Overdue: ${atLeast(exact)}${counted(overdue)}\n`)] : []),
    ...(hasRuns ? [`${legend.join("  ")}\n`] : []),
    chartOf(lines, { bucket, zone }, look),
    ...(!hasRuns && isFalse(runsExact) ? [`${runsUncounted}\n`] : []),
  ].join("");
}

const runsUncounted = "Not all runs of schedules could be counted.";

/** A service of an earlier version does not count them. */
function runsIn({ runs }: { readonly runs?: number }): number {
  return runs ?? 0;
}

/** Of what a service said, which may be nothing. */
function isFalse(said: unknown): boolean {
  return said === false;
}

function plus(value: number): string {
  return value === 0 ? "" : `+${counted(value)}`;
}

function atLeast(exact: boolean): string {
  return exact ? "" : "at least ";
}

export function activityChart(activity: Activity, zone: Zone, look: Look): string {
  const { bucket, items, total } = activity;
  const largest = Math.max(0, ...items.map(({ attempts }) => attempts));
  const lines = items.map((item) => ({
    time: item.time,
    isEmpty: item.attempts === 0,
    figures: [counted(item.attempts), lateText(item)],
    bar: (width: number) => {
      const delivered = deliveredIn(item);
      const parts = [
        { style: "green" as const, value: delivered },
        { style: "red" as const, value: item.attempts - delivered },
      ];
      return stackedBar(parts, largest, { width, paint: look.paint });
    },
  }));
  const title = `${many(total.attempts, "attempt")} ${about(activity)}(${bucketWords(bucket, zone)})`;
  return [
    `${look.paint("bold", sentence(title))}\n`,
    chartOf(lines, { bucket, zone }, look),
    ...(total.attempts === 0 ? [] : [cardOf(totalRows(total), look)]),
  ].join("");
}

function totalRows(total: AttemptCounts): [title: string, value: string][] {
  const outcomes = Object.entries(total.outcomes)
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => `${outcome} ${counted(count)}`);
  return [
    ["Outcomes", outcomes.join(", ")],
    ["Duration", quantilesText(total.durations)],
    ["Lateness", quantilesText(total.lateness)],
  ];
}

function quantilesText({ p50Ms, p99Ms }: AttemptCounts["lateness"]): string {
  if (p50Ms === null || p99Ms === null) return "-";
  return `half within ${durationText(p50Ms)}, 99 % within ${durationText(p99Ms)}`;
}

function lateText({ lateness: { p99Ms } }: AttemptCounts): string {
  return p99Ms === null ? "" : `p99 late ${durationText(p99Ms)}`;
}

function deliveredIn({ outcomes }: AttemptCounts): number {
  return outcomes["DELIVERED"] ?? 0;
}

function about({ targetId }: { readonly targetId: string | null }): string {
  return targetId === null ? "" : `for ${targetId} `;
}

function sentence(text: string): string {
  return text[0]!.toUpperCase() + text.slice(1);
}

export function groupRows({ items, exact }: DeadLetterGroupList, look: Look): string {
  if (items.length === 0) return "No dead letters.\n";
  const table = tableOf(
    {
      titles: ["TARGET", "REASON", "STATUS", "COUNT", "LAST", "SAMPLE"],
      rows: items.map((group) => [
        group.targetId,
        reasonOf(group.sample) ?? "-",
        String(group.lastStatusCode ?? "-"),
        counted(group.count),
        timeCell(group.lastTime, look.now),
        group.sample.messageId,
      ]),
      shortenable: ["REASON"],
    },
    look,
  );
  return exact ? table : `${table}There may be more: only the newest were looked at.\n`;
}
