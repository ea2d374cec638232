import { outcomeOf } from "../../../domain/message-key.ts";
import type { ScheduleResult } from "../../store.ts";
import type { Run } from "../connections/connections.ts";
import { isTooLate, withOptions } from "../rows/message-candidate.ts";
import type { DecidedMessage, MessageCandidate } from "../rows/message-candidate.ts";
import { insertOptionRows } from "../rows/option-rows.ts";
import type { Context } from "./context.ts";
import { countReplaced } from "./count-replaced.ts";
import { firstAnswers, giveKeysBack, keepAnswers, takeKeys } from "./idempotency-keys.ts";
import { unmet } from "./in-rounds.ts";
import { keepMessages } from "./keep-messages.ts";
import {
  changeHolders,
  giveMessageKeysBack,
  keptByMeeting,
  meetHolders,
  newMessages,
} from "./meet-holders.ts";
import type { Meeting } from "./meet-holders.ts";
import { readClock } from "./read-clock.ts";

/** Undoes a transaction that found no share of the limit. Each account is then decided by itself. */
export const undecided = new Error("no share of the monthly limit is free");

/**
 * The long way, for what no single statement can decide: messages whose keys others hold, and those whose
 * options depend on the time. No two of them want the same key.
 */
export async function scheduleInTransaction(
  run: Run,
  asked: readonly MessageCandidate[],
  { retentionMs, idempotencyRetentionMs }: Pick<Context, "retentionMs" | "idempotencyRetentionMs">,
): Promise<(ScheduleResult | typeof unmet | undefined)[]> {
  const begunAt = await readClock(run);
  const lifetime = { now: begunAt, retentionMs: idempotencyRetentionMs };
  const { open, repeats } = await takeKeys(run, asked, lifetime);
  const { meetings, now } = await meetHolders(run, open, { now: begunAt, retentionMs });
  const inTime = open.filter((candidate) => meetings.has(candidate) || !isTooLate(candidate, now));
  if (!(await countReplaced(run, meetings, now))) throw undecided;
  await changeHolders(run, meetings, now);
  const fresh = newMessages(inTime, meetings, now);
  const kept = await keepMessages(run, fresh, { around: now, now });
  const decided = new Map<MessageCandidate, DecidedMessage>();
  const byUuid = new Map([...kept].map(([{ uuid }, result]) => [uuid, result]));
  const isUnmet = (candidate: MessageCandidate): boolean =>
    meetings.get(candidate)?.kind === "unmet";
  for (const candidate of open) {
    if (isUnmet(candidate)) continue;
    const result = resultOf(candidate, meetings.get(candidate), byUuid.get(candidate.uuid));
    if (result !== undefined) decided.set(candidate, result);
    // Its key would be lost with the statement that comes after this one.
    else if (meetings.has(candidate)) throw undecided;
  }
  await insertOptionRows(run, withOptions(kept));
  const isKept = (candidate: MessageCandidate): boolean => {
    const kind = decided.get(candidate)?.kind;
    return kind === "scheduled" || kind === "kept";
  };
  const refused = open.filter((candidate) => !isKept(candidate));
  await giveMessageKeysBack(run, refused, meetings);
  await giveKeysBack(run, refused);
  await keepAnswers(run, decided, { isLater: now > begunAt });
  const repeated = await firstAnswers(run, repeats);
  return asked.map((candidate) =>
    isUnmet(candidate) ? unmet : (decided.get(candidate) ?? repeated.get(candidate)),
  );

  function resultOf(
    candidate: MessageCandidate,
    meeting: Meeting | undefined,
    stored: DecidedMessage | undefined,
  ): DecidedMessage | undefined {
    if (meeting === undefined) return isTooLate(candidate, now) ? { kind: "too-late" } : stored;
    if (meeting.kind === "refused") return meeting.result as DecidedMessage;
    if (meeting.kind === "in-place") return keptByMeeting(candidate, meeting, now);
    // The holder has ended for it, so it must be stored or all be undone.
    if (stored?.kind !== "scheduled") return meeting.kind === "anew" ? undefined : stored;
    return {
      ...stored,
      keyOutcome: outcomeOf(candidate.request.wantedKey!, meeting.kind !== "free"),
    };
  }
}
