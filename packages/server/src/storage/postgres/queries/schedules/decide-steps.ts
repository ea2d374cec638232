import type { Instant } from "../../../../domain/instant.ts";
import { advanced } from "../../../../domain/schedules/steps/advanced.ts";
import { pause } from "../../../../platform/timers.ts";
import type { Run } from "../../connections/connections.ts";
import type { Context } from "../context.ts";
import type { OneOfMany } from "./lock-schedules.ts";
import { seeEarlier } from "./see-earlier.ts";
import type { DecidedStep } from "./take-steps.ts";

/** What one commit makes, but for what the last step adds to it. */
const mostMessages = 2_000;
const mostPayload = 4 * 1_024 * 1_024;

/** How long to compute before others of this process have a turn, and for one commit. */
const longestAtOnceMs = 10;
const longestMs = 300;

/**
 * Decides the steps of locked schedules, until that is enough for one commit. The others stay due: they are missing in
 * the answer.
 */
export async function decideSteps(
  run: Run,
  { clock, timers, timeZones }: Pick<Context, "clock" | "timers" | "timeZones">,
  due: readonly OneOfMany[],
  now: Instant,
): Promise<DecidedStep[]> {
  const earlierOf = await seeEarlier(
    run,
    due.map(({ schedule }) => schedule),
  );
  const decided: DecidedStep[] = [];
  let [messages, payload, spentMs] = [0, 0, 0];
  let begin = clock.monotonic();
  for (const { key, schedule, payloadBytes } of due) {
    if (messages >= mostMessages || payload >= mostPayload || spentMs >= longestMs) break;
    const { state, locked } = earlierOf(schedule);
    const around = { now, openRuns: [], recordedRuns: [], earlier: state };
    const step = advanced(schedule, around, timeZones);
    const ending = locked === undefined ? [] : [locked];
    decided.push({ key, before: schedule, step, locked: ending });
    messages += step.messages.length;
    payload += step.messages.length * payloadBytes;
    const tookMs = clock.monotonic() - begin;
    if (tookMs < longestAtOnceMs) continue;
    spentMs += tookMs;
    await pause(timers, 0);
    begin = clock.monotonic();
  }
  return decided;
}
