import type { BackfillInput, BackfillPreview } from "@postdate/client";
import { defaultRates } from "../../domain/job.ts";
import type { Look } from "../terminal/look.ts";
import { counted } from "../terminal/progress.ts";
import { timeCell } from "../terminal/relative-time.ts";
import { tableOf } from "../terminal/table.ts";
import { speedText } from "./job-preview.ts";
import { many } from "./job-words.ts";

const mostRows = 5;

/** How many runs a backfill would make, and the times of the first of them. Why there is none is said elsewhere. */
export function backfillText({ count, exact, sample }: BackfillPreview, look: Look): string {
  if (count === 0) return `${noneYet}\n`;
  const shown = sample.slice(0, mostRows);
  const rows = shown.map((time) => [timeCell(time, look.now)]);
  const others = exact ? `${counted(count - shown.length)} more` : "more";
  const rest = exact && count === shown.length ? "" : `… and ${others}.\n`;
  const have = count === 1 && exact ? "has" : "have";
  const amount = `${exact ? "" : "At least "}${many(count, "run time")}`;
  return `${amount} ${have} had no run.\n${tableOf({ titles: ["RUN TIME"], rows }, look)}${rest}`;
}

/** The service counts for a few seconds only. */
const noneYet =
  "No run to make was found, but not all run times were looked at: give a later --from, or an earlier --to.";

/** What the job does if the answer is yes, and how long it may take. */
export function backfillQuestion(
  { ratePerSecond: rate = defaultRates.backfill }: BackfillInput,
  { count, exact }: BackfillPreview,
): string {
  const what = count === 1 && exact ? "Make this run" : "Make these runs";
  return `${what}, due at once${speedText(rate, count, exact)}?`;
}
