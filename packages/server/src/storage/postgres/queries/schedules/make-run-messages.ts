import type { Instant, TrackedMessage } from "../../../../domain/message.ts";
import type { Schedule } from "../../../../domain/schedules/schedule.ts";
import type { MadeMessage, RunMessage } from "../../../../domain/schedules/steps.ts";
import { monthOf } from "../../../../domain/usage.ts";
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
 * that finds no share of its limit are missing in the answer, and those without a target.
 */
export function makeByShares({ ids }: Pick<Context, "ids">): MakeMessages {
  return async (run, wanted, now) => {
    const { tried, candidates } = candidatesInTime(ids, wanted, now);
    const kept = new Map(await keepMessages(run, [...candidates.keys()], { around: now, now }));
    const left = [...candidates.keys()].filter((candidate) => !kept.has(candidate));
    if (left.length > 0) {
      const accountIds = [...new Set(left.map(({ request }) => request.accountId))];
      const opened = new Set(await openShares(run, monthOf(now), accountIds));
      const again = left.filter(({ request }) => opened.has(request.accountId));
      const later = await keepMessages(run, again, { around: now, now });
      for (const [candidate, result] of later) kept.set(candidate, result);
    }
    await insertOptionRows(run, withOptions(kept));
    for (const [candidate, result] of kept) note(tried, candidates.get(candidate)!, result);
    return tried;
  };
}

/**
 * Makes messages of one account, as many as its limit leaves. Waits for the account and its shares, and may so wait
 * only in a transaction that concerns no other account. Those without a target are missing in the answer.
 */
export function makeExactly({ ids }: Pick<Context, "ids">, accountId: string): MakeMessages {
  return async (run, wanted, now) => {
    const { tried, candidates } = candidatesInTime(ids, wanted, now);
    const targetIds = wanted.map(({ schedule }) => schedule.targetId);
    const targetKeys = await lockTargets(run, accountId, targetIds);
    const possible = [...candidates.keys()].filter(({ request }) =>
      targetKeys.has(request.targetId),
    );
    const asked = { accountId, month: monthOf(now), count: possible.length };
    const admitted = await admitMessages(run, asked);
    if (admitted === "no-account") return new Map();
    const kept = new Map<MessageCandidate, KeptMessage>();
    for (const [index, candidate] of possible.entries()) {
      if (index < admitted) {
        kept.set(candidate, keptAs(candidate, targetKeys.get(candidate.request.targetId)!, now));
      } else tried.set(candidates.get(candidate)!, { kind: "over-quota" });
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
    const tried = await byShares(run, wanted, now);
    const left = wanted.filter((message) => !tried.has(message));
    return left.length === 0 ? tried : new Map([...tried, ...(await exactly(run, left, now))]);
  };
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
