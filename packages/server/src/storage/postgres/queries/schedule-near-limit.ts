import { monthOf } from "../../../domain/usage.ts";
import type { ScheduleRequest, ScheduleResult } from "../../store.ts";
import type { Run } from "../connections/connections.ts";
import type { Context } from "./context.ts";
import { candidatesOf, isTooLate, keptAs } from "../rows/message-candidate.ts";
import type { KeptMessage, MessageCandidate } from "../rows/message-candidate.ts";
import { firstAnswers, giveKeysBack, keepAnswers, keyOf, takeKeys } from "./idempotency-keys.ts";
import { inRounds, unmet } from "./in-rounds.ts";
import { insertAdmitted } from "./insert-admitted.ts";
import { lockTargets } from "./lock-targets.ts";
import {
  changeHolders,
  giveMessageKeysBack,
  keptByMeeting,
  meetHolders,
  newMessages,
} from "./meet-holders.ts";
import type { Meeting, Meetings } from "./meet-holders.ts";
import type { TakenKeys } from "./idempotency-keys.ts";
import { readClock } from "./read-clock.ts";
import { admitMessages } from "./usage.ts";

/**
 * Schedules for one account whose limit is near, and counts exactly. Decides for each item whether
 * its target exists and whether the limit has room. Waits for locks in one order: keys, targets,
 * the account, its shares. Never waits for locks of two accounts in one transaction. See
 * docs/adr/0007-exact-quotas.md.
 */
export function scheduleNearLimit(context: Context) {
  const { connections, ids, idempotencyRetentionMs, retentionMs: endedRetentionMs } = context;
  const retentionMs = idempotencyRetentionMs;

  return (accountId: string, requests: readonly ScheduleRequest[]): Promise<ScheduleResult[]> =>
    inRounds(requests, (round) => scheduleRound(accountId, round));

  function scheduleRound(
    accountId: string,
    requests: readonly ScheduleRequest[],
  ): Promise<(ScheduleResult | typeof unmet)[]> {
    return connections.transaction(async (run) => {
      const begunAt = await readClock(run);
      const lifetime = { now: begunAt, retentionMs };
      const candidates = candidatesOf(ids, requests);
      const taken = await takeKeys(run, candidates, lifetime);
      const wantedTargets = taken.open.length === 0 ? [] : candidates.map(targetOf);
      const targetKeys = await lockTargets(run, accountId, wantedTargets);
      const hasTarget = ({ request }: MessageCandidate): boolean =>
        targetKeys.has(request.targetId);
      const { open, repeats } = await passKeysOn(run, taken, hasTarget, lifetime);
      const { meetings, now } = await meetHolders(
        run,
        candidates.filter((candidate) => open.has(candidate)),
        { now: begunAt, retentionMs: endedRetentionMs },
      );
      const isLate = (candidate: MessageCandidate): boolean =>
        !meetings.has(candidate) && isTooLate(candidate, now);
      const wanted = candidates.filter(
        (candidate) =>
          open.has(candidate) && !isLate(candidate) && !isTurnedAway(meetings.get(candidate)),
      );
      const month = monthOf(now);
      const admitted = await admitMessages(run, { accountId, month, count: wanted.length });
      const isGone = admitted === "no-account";
      const admittedOnes = wanted.slice(0, isGone ? 0 : admitted);
      const kept = new Map(
        admittedOnes.map((candidate) => [candidate, keptOne(candidate, meetings, targetKeys, now)]),
      );
      const isAdmitted = new Set(admittedOnes);
      await giveMessageKeysBack(
        run,
        wanted.filter((candidate) => !isAdmitted.has(candidate)),
        meetings,
      );
      await changeHolders(
        run,
        new Map([...meetings].filter(([candidate]) => isAdmitted.has(candidate))),
        now,
      );
      const fresh = new Set(newMessages(admittedOnes, meetings, now).map(({ uuid }) => uuid));
      await insertAdmitted(run, new Map([...kept].filter(([{ uuid }]) => fresh.has(uuid))), {
        accountId,
        now,
      });
      const met = new Map<MessageCandidate, ScheduleResult>(kept);
      for (const [candidate, meeting] of meetings) {
        if (meeting.kind === "refused") met.set(candidate, meeting.result);
      }
      await giveKeysBack(
        run,
        [...open].filter((candidate) => {
          const kind = met.get(candidate)?.kind;
          return kind !== "scheduled" && kind !== "kept";
        }),
      );
      await keepAnswers(run, met, { isLater: now > begunAt });
      const repeated = await firstAnswers(run, repeats);
      const refusal = (candidate: MessageCandidate): ScheduleResult =>
        isGone || !hasTarget(candidate)
          ? { kind: "no-target" }
          : { kind: isLate(candidate) ? "too-late" : "over-quota" };
      // The candidate that had taken the key of such a repeat was refused, and has given it back.
      const isOrphan = new Set(repeats.filter((candidate) => !repeated.has(candidate)));
      return candidates.map((candidate) => {
        if (isOrphan.has(candidate) || meetings.get(candidate)?.kind === "unmet") return unmet;
        return met.get(candidate) ?? repeated.get(candidate) ?? refusal(candidate);
      });
    }, accountId);
  }
}

function targetOf({ request }: MessageCandidate): string {
  return request.targetId;
}

function isTurnedAway(meeting: Meeting | undefined): boolean {
  return meeting?.kind === "refused" || meeting?.kind === "unmet";
}

function keptOne(
  candidate: MessageCandidate,
  meetings: Meetings,
  targetKeys: ReadonlyMap<string, number>,
  now: number,
): KeptMessage {
  const meeting = meetings.get(candidate);
  if (meeting === undefined) {
    return keptAs(candidate, targetKeys.get(candidate.request.targetId)!, now);
  }
  const [fresh] = newMessages([candidate], meetings, now);
  return keptByMeeting(fresh ?? candidate, meeting, now);
}

/**
 * Frees the keys of candidates without a target, and lets the next candidate that has one take its key. It
 * waits for nobody: until the commit, others wait for the keys that this transaction has taken.
 */
async function passKeysOn(
  run: Run,
  taken: TakenKeys,
  hasTarget: (candidate: MessageCandidate) => boolean,
  lifetime: { readonly now: number; readonly retentionMs: number },
): Promise<{ open: ReadonlySet<MessageCandidate>; repeats: readonly MessageCandidate[] }> {
  const refused = taken.open.filter((candidate) => !hasTarget(candidate));
  const open = new Set(taken.open.filter(hasTarget));
  await giveKeysBack(run, refused);
  if (refused.length === 0) return { open, repeats: taken.repeats };
  const free = new Set(refused.map(keyOf));
  const heirs = taken.repeats.filter(
    (candidate) => hasTarget(candidate) && free.has(keyOf(candidate)),
  );
  const next = await takeKeys(run, heirs, lifetime);
  for (const candidate of next.open) open.add(candidate);
  const repeats = taken.repeats.filter((candidate) => {
    const key = keyOf(candidate);
    if (open.has(candidate)) free.delete(key);
    // What comes before the new holder of its key finds the key free, and no target.
    return !open.has(candidate) && !free.has(key);
  });
  return { open, repeats };
}
