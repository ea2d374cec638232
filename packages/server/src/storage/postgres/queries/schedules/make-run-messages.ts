import type { Instant, TrackedMessage } from "../../../../domain/message.ts";
import type { Schedule } from "../../../../domain/schedules/schedule.ts";
import type { MadeMessage, RunMessage } from "../../../../domain/schedules/steps.ts";
import { monthNamed, monthOf } from "../../../../domain/usage.ts";
import { countedAt } from "../../../../domain/schedules/steps/counted-at.ts";
import type { Run } from "../../connections/connections.ts";
import { openShares } from "../../quotas/open-shares.ts";
import { candidatesOf, isTooLate, keptAs, withOptions } from "../../rows/message-candidate.ts";
import type {
  DecidedMessage,
  KeptMessage,
  MessageCandidate,
} from "../../rows/message-candidate.ts";
import { insertOptionRows } from "../../rows/option-rows.ts";
import type { Context } from "../context.ts";
import { insertAdmitted } from "../insert-admitted.ts";
import { keepMessages } from "../keep-messages.ts";
import { lockTargets } from "../lock-targets.ts";
import { admitMessages } from "../usage.ts";

/** A message that a step of the schedule wants to make. */
export interface WantedMessage extends RunMessage {
  readonly schedule: Pick<Schedule, "accountId" | "targetId">;
}

/** What became of it. With the message, if it was made. */
export type TriedMessage =
  | {
      readonly kind: "made";
      readonly messageId: string;
      readonly message: TrackedMessage;
      readonly targetKey: number;
    }
  | Exclude<MadeMessage, { readonly kind: "made" }>;

export type Tried = ReadonlyMap<WantedMessage, TriedMessage>;

/** Makes the messages that steps want. */
export type MakeMessages = (
  run: Run,
  wanted: readonly WantedMessage[],
  now: Instant,
) => Promise<Tried>;

/**
 * Makes messages of any number of accounts, and waits for nothing but the removal of a target. Those of an account
 * that finds no share of its limit are missing in the answer, and those without a target. So are those of a schedule
 * that counts for two months: it could find a share of one of them only.
 */
export function makeByShares({ ids }: Pick<Context, "ids">): MakeMessages {
  return async (run, wanted, now) => {
    const { tried, candidates } = candidatesInTime(ids, inOneMonth(wanted, now), now);
    const kept = new Map<MessageCandidate, DecidedMessage>();
    for (const [month, some] of byMonth(candidates, now)) {
      for (const [candidate, result] of await keepInMonth(run, some, { month, now })) {
        kept.set(candidate, result);
      }
    }
    await insertOptionRows(run, withOptions(kept));
    for (const [candidate, result] of kept) note(tried, candidates.get(candidate)!, result);
    return tried;
  };
}

/** Those of an account that finds no share of this month are missing in the answer. */
async function keepInMonth(
  run: Run,
  candidates: readonly MessageCandidate[],
  { month, now }: { readonly month: string; readonly now: Instant },
): Promise<ReadonlyMap<MessageCandidate, DecidedMessage>> {
  const time = { around: monthNamed(month).start, now };
  const kept = await keepMessages(run, candidates, time);
  const left = candidates.filter((candidate) => !kept.has(candidate));
  if (left.length === 0) return kept;
  const accountIds = [...new Set(left.map(({ request }) => request.accountId))];
  const opened = new Set(await openShares(run, month, accountIds));
  const again = left.filter(({ request }) => opened.has(request.accountId));
  return new Map([...kept, ...(await keepMessages(run, again, time))]);
}

/**
 * Makes messages of one account, as many as its limit leaves. Waits for the account and its shares, and may so wait
 * only in a transaction that concerns no other account. Those without a target are missing in the answer.
 */
export function makeExactly({ ids }: Pick<Context, "ids">, accountId: string): MakeMessages {
  return async (run, wanted, now) => {
    const { tried, candidates } = candidatesInTime(ids, wanted, now);
    const targetKeys = await lockTargetsOf(run, accountId, wanted);
    const kept = new Map<MessageCandidate, KeptMessage>();
    for (const [month, some] of byMonth(candidates, now)) {
      const possible = some.filter(({ request }) => targetKeys.has(request.targetId));
      const admitted = await admitMessages(run, { accountId, month, count: possible.length });
      if (admitted === "no-account") return new Map();
      for (const [index, candidate] of possible.entries()) {
        if (index < admitted) kept.set(candidate, keptIn(targetKeys, candidate, now));
        else tried.set(candidates.get(candidate)!, { kind: "over-quota" });
      }
    }
    await insertAdmitted(run, kept, { accountId, now });
    for (const [candidate, result] of kept) note(tried, candidates.get(candidate)!, result);
    return tried;
  };
}

/** Makes messages of one account. Most often a share suffices, and then the account is not locked. */
export function makeForOne(context: Pick<Context, "ids">, accountId: string): MakeMessages {
  const [byShares, exactly] = [makeByShares(context), makeExactly(context, accountId)];
  return async (run, wanted, now) => {
    const uncounted = wanted.filter(({ counts }) => !counts);
    const free = await makeUncounted(context, accountId, run, uncounted, now);
    const counted = wanted.filter(({ counts }) => counts);
    const tried = new Map([...free, ...(await byShares(run, counted, now))]);
    const left = counted.filter((message) => !tried.has(message));
    return left.length === 0 ? tried : new Map([...tried, ...(await exactly(run, left, now))]);
  };
}

/** Makes messages of runs that have counted before. Those without a target are missing in the answer. */
async function makeUncounted(
  { ids }: Pick<Context, "ids">,
  accountId: string,
  ...[run, wanted, now]: Parameters<MakeMessages>
): Promise<Tried> {
  if (wanted.length === 0) return new Map();
  const { tried, candidates } = candidatesInTime(ids, wanted, now);
  const targetKeys = await lockTargetsOf(run, accountId, wanted);
  const possible = [...candidates.keys()].filter(({ request }) => targetKeys.has(request.targetId));
  const kept = new Map(
    possible.map((candidate) => [candidate, keptIn(targetKeys, candidate, now)]),
  );
  await insertAdmitted(run, kept, { accountId, now });
  for (const [candidate, result] of kept) note(tried, candidates.get(candidate)!, result);
  return tried;
}

/** Those of schedules whose messages all count for the same month. */
function inOneMonth(wanted: readonly WantedMessage[], now: Instant): readonly WantedMessage[] {
  const monthsOf = new Map<WantedMessage["schedule"], Set<string>>();
  for (const message of wanted) {
    const months = monthsOf.get(message.schedule) ?? new Set();
    monthsOf.set(message.schedule, months.add(monthOf(countedAt(message, now))));
  }
  return wanted.filter(({ schedule }) => monthsOf.get(schedule)!.size === 1);
}

/** By the month that they count for, the earlier first. Most often there is one. */
function byMonth(
  candidates: ReadonlyMap<MessageCandidate, WantedMessage>,
  now: Instant,
): [month: string, candidates: MessageCandidate[]][] {
  const months = Map.groupBy(candidates.keys(), (candidate) =>
    monthOf(countedAt(candidates.get(candidate)!, now)),
  );
  return [...months].toSorted(([one], [other]) => (one < other ? -1 : 1));
}

function lockTargetsOf(run: Run, accountId: string, wanted: readonly WantedMessage[]) {
  const targetIds = wanted.map(({ schedule }) => schedule.targetId);
  return lockTargets(run, accountId, targetIds);
}

function keptIn(
  targetKeys: ReadonlyMap<string, number>,
  candidate: MessageCandidate,
  now: Instant,
): KeptMessage {
  return keptAs(candidate, targetKeys.get(candidate.request.targetId)!, now);
}

/** The messages as they will be, but for those that could not start before their `notAfter`. */
function candidatesInTime(ids: Context["ids"], wanted: readonly WantedMessage[], now: Instant) {
  const tried = new Map<WantedMessage, TriedMessage>();
  const candidates = new Map<MessageCandidate, WantedMessage>();
  const requests = wanted.map(({ schedule, deliveryTime, payload, options }) => ({
    ...{ accountId: schedule.accountId, targetId: schedule.targetId },
    ...{ deliveryTime, payload, options, idempotency: null },
  }));
  for (const [index, candidate] of candidatesOf(ids, requests).entries()) {
    if (isTooLate(candidate, now)) tried.set(wanted[index]!, { kind: "too-late" });
    else candidates.set(candidate, wanted[index]!);
  }
  return { tried, candidates };
}

function note(
  tried: Map<WantedMessage, TriedMessage>,
  wanted: WantedMessage,
  result: DecidedMessage,
): void {
  if (result.kind !== "scheduled") return;
  const { message, targetKey } = result;
  tried.set(wanted, { kind: "made", messageId: message.messageId, message, targetKey });
}
