import { monthOf } from "../../../../src/domain/usage.ts";
import type { Run } from "../../../../src/domain/schedules/run.ts";
import type { ScheduleEvent } from "../../model-store/schedule-journal.ts";
import { isByTime } from "./judge-row.ts";
import { mostUnmadeRuns } from "./schedule-history.ts";
import type { ScheduleHistory } from "./schedule-history.ts";
import { textOf } from "./text-of.ts";

/**
 * Each run counts once, in the month of its time or, if it was late, of the moment at which it was made. None is
 * skipped while the limit has room.
 */
export function judgeLimits(history: ScheduleHistory): string[] {
  const { events, messages, monthlyLimits, usage } = history;
  const problems = judgeRecords(history);
  const cancelledAt = new Map(
    messages.map(({ message }) => [message.messageId, message.cancellationTime]),
  );
  const accountOf = new Map<number, string>();
  const madeBy = new Map<string, string>();
  const used = new Map<string, number>();

  function count({ scheduleKey, at }: ScheduleEvent, run: Run): void {
    const place = `${scheduleKey} ${run.runTime}`;
    const before = madeBy.get(place);
    madeBy.set(place, run.messageId!);
    const isMadeAgain = before !== undefined && cancelledAt.get(before) === at;
    if (isMadeAgain && isByTime(run)) return;
    const month = monthIn(accountOf.get(scheduleKey)!, run, at);
    used.set(month, (used.get(month) ?? 0) + 1);
  }

  for (const event of events) {
    if (event.kind === "created") accountOf.set(event.scheduleKey, event.accountId);
    if (event.kind !== "runs") continue;
    for (const run of event.runs) if (run.outcome === "CREATED") count(event, run);
    const accountId = accountOf.get(event.scheduleKey)!;
    const limit = monthlyLimits.get(accountId) ?? Infinity;
    for (const run of event.runs) {
      const counted = used.get(monthIn(accountId, run, event.at)) ?? 0;
      if (run.reason !== "E-DI-5005" || counted >= limit) continue;
      problems.push(
        `${accountId} ${textOf(run.runTime)} was skipped with ${counted} of ${limit} messages used`,
      );
    }
  }
  for (const { accountId, month, used: charged } of usage) {
    const counted = used.get(`${accountId} ${month}`) ?? 0;
    if (charged === counted) continue;
    problems.push(`${accountId} is charged for ${charged} runs in ${month}, and has ${counted}`);
  }
  return problems;
}

/** What did not happen is on record, and leaves no more rows than a disk can bear. */
function judgeRecords({ schedules }: ScheduleHistory): string[] {
  return schedules
    .filter(({ unmadeRuns }) => unmadeRuns > mostUnmadeRuns)
    .map(({ schedule: { accountId, scheduleId }, unmadeRuns }) => {
      return `${accountId}/${scheduleId} has ${unmadeRuns} rows without a message`;
    });
}

function monthIn(accountId: string, run: Run, at: number): string {
  return `${accountId} ${monthOf(isByTime(run) ? Math.max(at, run.runTime) : at)}`;
}
