import type { Instant } from "../../../../domain/instant.ts";
import { heldLookTime } from "../../../held-schedules.ts";
import type { AdvancedSchedules, Holder } from "../../../store.ts";
import { StoreConflict } from "../../connections/connection-trouble.ts";
import type { Run } from "../../connections/connections.ts";
import type { WorkContext } from "../context.ts";
import { decideSteps } from "./decide-steps.ts";
import { dueSchedules } from "./find-due-schedules.ts";
import type { FoundSchedule } from "./find-due-schedules.ts";
import { holdSchedules, releaseSchedules } from "./held-schedules.ts";
import { loadPayloads } from "./load-payloads.ts";
import { lockSchedules } from "./lock-schedules.ts";
import type { OneOfMany } from "./lock-schedules.ts";
import { ensureMayAdvance, lookAtSchedules, notHeld } from "./may-advance.ts";
import type { ScheduleLook } from "./may-advance.ts";
import { makeByShares, makeExactly } from "./make-run-messages.ts";
import type { MakeMessages } from "./make-run-messages.ts";
import { takeSteps, tallyOf } from "./take-steps.ts";
import type { TakenStep } from "./write-steps.ts";

/** How many accounts near their limits one call counts for, each in a transaction of its own. */
const mostCountedExactly = 20;

/** With more than this there are two transactions: while the database works for one, the other is computed. */
const mostInRound = 250;

/** When to look again at a schedule that has no target any more. */
const noTargetLookMs = 30_000;

interface RoundOrder {
  readonly keys: readonly number[];
  readonly make: MakeMessages;
  /** What is left then has no target any more, and is looked at later. */
  readonly isLast?: boolean;
}

/** What one transaction has done. */
interface Round {
  readonly taken: readonly TakenStep[];
  /** Of accounts that found no share of their limit, or schedules that have no target any more. */
  readonly left: readonly OneOfMany[];
  /** Whether more is due than one commit makes. */
  readonly isMore: boolean;
}

/**
 * One or two transactions for the schedules of all accounts, and one more for each account whose limit is near. Each
 * takes its locks in the order that `change-schedule.ts` names, and waits for none before the targets: a schedule that
 * somebody else has locked goes on by that, or the next time.
 */
export function advanceSchedules(context: WorkContext) {
  const { connections } = context;
  const byShares = makeByShares(context);
  const findDue = dueSchedules();
  const release = releaseSchedules(connections);
  const query: Run = (each) => connections.query(each);

  return async (holder: Holder, limit: number): Promise<AdvancedSchedules> => {
    const look = await lookAtSchedules(query, context, holder);
    if (!look.mayAdvance) return answerOf(look, [], null);
    const { now, firstLookTime, areSomeResumed } = look;
    const areMoreHeld = areSomeResumed && (await release(now));
    const isNothingDue = firstLookTime === null || firstLookTime > now;
    if (isNothingDue && !areSomeResumed) return answerOf(look, [], firstLookTime);
    const due = await findDue(query, now, limit);
    const { taken, isMore } = await takeRounds(holder, due.found);
    // What else is due is under way on another node.
    const nextLookTime = areMoreHeld
      ? now
      : await firstLookAfter(query, due.isMore || isMore ? -1 : now);
    return answerOf(look, taken, nextLookTime);
  };

  async function takeRounds(
    holder: Holder,
    found: readonly FoundSchedule[],
  ): Promise<Pick<Round, "taken" | "isMore">> {
    const first = await Promise.all(
      piecesOf(found).map((keys) => inRound(holder, { keys, make: byShares })),
    );
    const rounds = first.filter((round) => round !== undefined);
    const uncounted = rounds.flatMap((round) => round.left);
    const byAccount = Map.groupBy(uncounted, ({ schedule }) => schedule.accountId);
    let isMore = byAccount.size > mostCountedExactly;
    for (const [accountId, own] of [...byAccount].slice(0, mostCountedExactly)) {
      const ownKeys = own.map(({ key }) => key);
      const order = { keys: ownKeys, make: makeExactly(context, accountId), isLast: true };
      // The first rounds stand, whatever comes of this one.
      const round = await inRound(holder, order).catch(noneInConflict);
      if (round === undefined) isMore = true;
      else rounds.push(round);
    }
    const taken = rounds.flatMap((round) => round.taken);
    return { taken, isMore: isMore || rounds.some((round) => round.isMore) };
  }

  /** Undefined: the holder may not advance schedules any more, and nothing has happened. */
  async function inRound(holder: Holder, order: RoundOrder): Promise<Round | undefined> {
    try {
      return await connections.transaction((run) => takeRound(run, holder, order));
    } catch (error) {
      if (error === notHeld) return undefined;
      throw error;
    }
  }

  async function takeRound(
    run: Run,
    holder: Holder,
    { keys, make, isLast = false }: RoundOrder,
  ): Promise<Round> {
    const { now, schedules } = await lockSchedules(run, keys);
    // Some may have gone on meanwhile.
    const due = schedules.filter(({ schedule }) => isOver(schedule.progress.lookTime, now));
    await holdSchedules(
      run,
      due.filter(({ isHeldBack }) => isHeldBack),
    );
    const going = due.filter(({ isHeldBack }) => !isHeldBack);
    const decided = await decideSteps(run, context, going, now);
    const loaded = await loadPayloads(run, decided);
    const taken = await takeSteps(run, context, loaded, { now, make });
    const isTaken = new Set(taken.map(({ key }) => key));
    const left = going.slice(0, decided.length).filter(({ key }) => !isTaken.has(key));
    if (isLast) await putOff(run, left, now + noTargetLookMs);
    await ensureMayAdvance(run, context, holder);
    const isUndecided = decided.length < going.length;
    const isAgain = taken.some(({ schedule: { progress } }) => isOver(progress.lookTime, now));
    return { taken, left, isMore: isUndecided || isAgain };
  }
}

/**
 * In one or two pieces of about the same size. Each account is in one of them, because two would want the same share of
 * its limit. Only one that has more than half of all is in both: it then gets a second share.
 */
function piecesOf(found: readonly FoundSchedule[]): number[][] {
  const keys = found.map(({ key }) => key);
  if (found.length <= mostInRound) return [keys];
  const half = found.length / 2;
  const ofAccounts = Map.groupBy(found, ({ accountId }) => accountId);
  const largestFirst = [...ofAccounts.values()].toSorted((one, other) => other.length - one.length);
  const first = new Set<number>();
  for (const own of largestFirst) {
    const room = half - first.size;
    const isInBoth = own.length > half;
    if (room >= own.length || isInBoth) for (const { key } of own.slice(0, room)) first.add(key);
  }
  return [keys.filter((key) => first.has(key)), keys.filter((key) => !first.has(key))];
}

function noneInConflict(error: unknown): undefined {
  if (!(error instanceof StoreConflict)) throw error;
}

function isOver(lookTime: Instant | null, now: Instant): boolean {
  return lookTime !== null && lookTime <= now;
}

function answerOf(
  { now }: ScheduleLook,
  taken: readonly TakenStep[],
  nextLookTime: Instant | null,
): AdvancedSchedules {
  const { runs, planned, nextBound } = tallyOf(taken);
  return { advanced: taken.length, runs, planned, nextBound, nextLookTime, now };
}

async function firstLookAfter(run: Run, time: Instant): Promise<Instant | null> {
  const [row] = await run({
    name: "find-next-look",
    text: `SELECT look_time FROM schedule_states WHERE look_time > $1 AND look_time < $2
      ORDER BY look_time, schedule_key LIMIT 1`,
    values: [time, heldLookTime],
  });
  return row?.["look_time"] ?? null;
}

/** Nothing but the time of the next look changes. */
async function putOff(run: Run, left: readonly OneOfMany[], lookTime: Instant): Promise<void> {
  if (left.length === 0) return;
  await run({
    name: "put-schedules-off",
    text: "UPDATE schedule_states SET look_time = $2 WHERE schedule_key = ANY ($1::bigint[])",
    values: [left.map(({ key }) => key), lookTime],
  });
}
