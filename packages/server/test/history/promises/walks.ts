import type { Message } from "../../../src/domain/message.ts";
import type { Context } from "../context.ts";
import type { Asked, PageAsked } from "../history.ts";
import type { MessageLog } from "../message-log.ts";
import type { Violation } from "../violation.ts";
import { staysOf } from "./stays.ts";
import type { Stay } from "./stays.ts";

type AnsweredPage = PageAsked & { readonly answer: { readonly kind: "ok" } };

/** G12: a walk returns each item that did not move exactly once, in order. */
export function checkWalks(
  asked: readonly Asked[],
  logs: readonly MessageLog[],
  context: Context,
): Violation[] {
  const pages = asked.filter(isAnswered);
  if (pages.length === 0) return [];
  const stays = new Map<string, Stay[]>();
  const accountOf = new Map(logs.map(({ messageId, accountId }) => [messageId, accountId]));
  for (const log of logs) {
    const target = `${log.accountId}/${log.targetId}`;
    const own = staysOf(log, context.takenAt, context.bounds);
    const there = stays.get(target);
    if (there === undefined) stays.set(target, own);
    else there.push(...own);
  }
  const walks = Map.groupBy(pages, ({ walk }) => walk);
  return [...walks].flatMap(([walk, its]) => {
    const { accountId, targetId } = its[0]!;
    const found: Violation[] = [];
    const say = (messageId: string | null, says: string): void =>
      void found.push({ promise: "G12", messageId, says: `${says} (walk ${walk})` });
    checkItems(its, accountOf, say);
    checkMissing(its, stays.get(`${accountId}/${targetId}`) ?? [], say);
    return found;
  });
}

type Say = (messageId: string | null, says: string) => void;

function checkItems(
  pages: readonly AnsweredPage[],
  accountOf: ReadonlyMap<string, string>,
  say: Say,
): void {
  let before: Message | undefined;
  for (const { list, targetId, accountId, minTime, maxTime, limit, answer } of pages) {
    if (answer.items.length > limit) say(null, `a page of ${limit} held ${answer.items.length}`);
    for (const item of answer.items) {
      const time = timeOf(item, list);
      const fits = time !== null && time >= (minTime ?? -Infinity) && time <= (maxTime ?? Infinity);
      const state = list === "scheduled" ? "SCHEDULED" : "DEAD_LETTER";
      if (!fits || item.state !== state || item.targetId !== targetId) {
        say(
          item.messageId,
          `was listed among the ${list} of ${targetId}, where it does not belong`,
        );
      } else if ((accountOf.get(item.messageId) ?? accountId) !== accountId) {
        say(item.messageId, `was listed for ${accountId}, and is another account's`);
      } else if (before !== undefined && isBehind(before, item, list)) {
        const again = before.messageId === item.messageId ? "listed twice" : "listed out of order";
        say(item.messageId, `was ${again}, after ${before.messageId}`);
      }
      before = item;
    }
  }
}

/** An unfinished walk must still be right as far as it went. */
function checkMissing(pages: readonly AnsweredPage[], stays: readonly Stay[], say: Say): void {
  const first = pages[0]!;
  const last = pages.at(-1)!;
  const { list } = first;
  const listed = new Set(pages.flatMap(({ answer }) => answer.items.map((item) => item.messageId)));
  const lastItem = last.answer.isLast ? undefined : last.answer.items.at(-1);
  if (!last.answer.isLast && lastItem === undefined) return;
  const missing = new Set<string>();
  for (const stay of stays) {
    const { messageId, time, from, until } = stay;
    // The order of events within one millisecond is unknown.
    if (stay.list !== list || from >= first.askedAt || until <= last.answeredAt) continue;
    if (time < (first.minTime ?? -Infinity) || time > (first.maxTime ?? Infinity)) continue;
    if (lastItem !== undefined && !isBefore(stay, lastItem, list)) continue;
    if (listed.has(messageId) || missing.has(messageId)) continue;
    missing.add(messageId);
    say(messageId, `stood among the ${list} all the time, and was not listed`);
  }
}

function isBefore({ time, messageId }: Stay, item: Message, list: PageAsked["list"]): boolean {
  const difference = timeOf(item, list)! - time;
  return difference > 0 || (difference === 0 && messageId < item.messageId);
}

function isBehind(before: Message, item: Message, list: PageAsked["list"]): boolean {
  const difference = timeOf(item, list)! - timeOf(before, list)!;
  return difference < 0 || (difference === 0 && item.messageId <= before.messageId);
}

function timeOf(message: Message, list: PageAsked["list"]): number | null {
  return list === "scheduled" ? message.nextDeliveryTime : message.deadLetterTime;
}

function isAnswered(call: Asked): call is AnsweredPage {
  return call.verb === "list page" && call.answer.kind === "ok";
}
