import { monthNamed, monthOf } from "../../../src/domain/usage.ts";
import type { AccountUsage, History, ScheduleAsked } from "../history.ts";
import { creationOf } from "../message-log.ts";
import type { MessageLog } from "../message-log.ts";
import type { Charge } from "./charges.ts";
import type { Violation } from "../violation.ts";

const overLimit = "E-DI-5005";

/** What is known about the messages that exist, and about the month of a call. */
interface Seen {
  readonly isComplete: boolean;
  readonly apartMs: number;
  /** How many messages count at least. */
  readonly accepted: number;
  /** How many more may count, because nobody knows whether or when they were accepted. */
  readonly possible: number;
  /** The earliest moments at which messages may have been accepted. */
  readonly beginnings: readonly number[];
}

/** G14: the service accepts exactly as many messages in a month as the limit allows. */
export function checkQuota(
  history: History,
  logs: readonly MessageLog[],
  charges: readonly Charge[] = [],
): Violation[] {
  const found: Violation[] = [];
  const logsOf = Map.groupBy(logs, ({ accountId }) => accountId);
  const asksOf = Map.groupBy(history.asked.filter(isSchedule), ({ accountId }) => accountId);
  for (const usage of history.final.usage) {
    const { start, end } = monthNamed(usage.month);
    const own = (logsOf.get(usage.accountId) ?? []).filter((log) => {
      const time = schedulingTimeOf(log);
      return time >= start && time < end;
    });
    const asks = asksOf.get(usage.accountId) ?? [];
    const { clockUncertaintyMs: apartMs } = history.bounds;
    const beside = charges.filter(
      ({ accountId, from, until }) =>
        accountId === usage.accountId && from - apartMs < end && until + apartMs >= start,
    );
    const isWithin = ({ from, until }: Charge): boolean =>
      from - apartMs >= start && until + apartMs < end;
    const [certain, possible] = [true, false].map((isCertain) =>
      beside.filter((charge) => (charge.isCertain && isWithin(charge)) === isCertain),
    ) as [Charge[], Charge[]];
    const { isComplete } = history.final;
    const accepted = own.length + certain.length;
    const beginnings = [
      ...own.map((log) => acceptedFrom(log, apartMs)),
      ...beside.map(({ from }) => from),
    ];
    const seen = { isComplete, apartMs, accepted, possible: possible.length, beginnings };
    found.push(...checkMonth(usage, asks, seen));
  }
  return found;
}

function checkMonth(
  { accountId, month, used, limit }: AccountUsage,
  asks: readonly ScheduleAsked[],
  seen: Seen,
): Violation[] {
  const { isComplete, accepted, possible } = seen;
  const found: Violation[] = [];
  const say = (says: string, messageId: string | null = null): void =>
    void found.push({ promise: "G14", messageId, says: `${accountId} ${says}` });
  if (limit !== null && accepted > limit) {
    say(`was let schedule ${accepted} messages in ${month}, ${limit} are its limit`);
  }
  if (used < accepted) say(`is charged for ${used} messages in ${month}, and has ${accepted}`);
  // A lost call whose message nobody has seen still counts.
  const unseen = possible + (isComplete ? 0 : lostAnswers(asks, month));
  if (used > accepted + unseen) {
    const at = unseen === 0 ? `${accepted}` : `at most ${accepted + unseen}`;
    say(`is charged for ${used} messages in ${month}, and has ${at}`);
  }
  if (limit !== null) checkRefusals(asks, month, limit, seen, say);
  return found;
}

/** A call is refused for the limit only if the limit may have been reached. */
function checkRefusals(
  asks: readonly ScheduleAsked[],
  month: string,
  limit: number,
  { isComplete, apartMs, ...seen }: Seen,
  say: (says: string) => void,
): void {
  const beginnings = seen.beginnings.toSorted((one, other) => one - other);
  const limitMayBeReachedAt =
    beginnings.length >= limit ? (beginnings[limit - 1] ?? -Infinity) : Infinity;
  if (!isComplete && lostAnswers(asks, month) > 0) return;
  for (const { answer, answeredAt, askedAt } of asks) {
    if (answer.kind !== "refused" || answer.code !== overLimit) continue;
    if (monthOf(askedAt - apartMs) !== month || monthOf(answeredAt + apartMs) !== month) continue;
    if (answeredAt >= limitMayBeReachedAt) continue;
    const reached = beginnings.filter((from) => from <= answeredAt).length;
    say(`was refused a message in ${month} with ${reached} of ${limit} scheduled`);
    return;
  }
}

/** Each call counts in the month in which it happened, which may be the month after the request. */
function lostAnswers(asks: readonly ScheduleAsked[], month: string): number {
  const dayMs = 86_400_000;
  return asks.filter(
    ({ answer, askedAt }) =>
      answer.kind === "unknown" &&
      (monthOf(askedAt) === month || monthOf(askedAt + dayMs) === month),
  ).length;
}

function isSchedule(call: History["asked"][number]): call is ScheduleAsked {
  return call.verb === "schedule" || call.verb === "batch item";
}

/** Of a message with a key it is not always known which call made it: it may have been one that was lost later. */
function acceptedFrom(log: MessageLog, apartMs: number): number {
  return Math.min(creationOf(log).from, schedulingTimeOf(log) - apartMs);
}

function schedulingTimeOf(log: MessageLog): number {
  for (const { answer } of log.schedules) {
    if (answer.kind === "ok") return answer.message.schedulingTime;
  }
  return log.final?.message.schedulingTime ?? creationOf(log).from;
}
