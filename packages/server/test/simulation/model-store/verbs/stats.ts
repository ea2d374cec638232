import { addCounts, noActivity } from "../../../../src/domain/activity.ts";
import type { ActivityAddition, ActivityCounts } from "../../../../src/domain/activity.ts";
import { placeBetween } from "../../../../src/domain/edges.ts";
import { DeadLetterGroups } from "../../../../src/storage/dead-letter-groups.ts";
import { dueSchedules } from "../../../../src/storage/due-schedules.ts";
import type {
  ActivityQuery,
  CountRequest,
  CountSlice,
  GroupRequest,
  GroupSlice,
  OverdueRequest,
  OverdueSlice,
  ScheduleSlice,
  StoredActivity,
  TargetLook,
  TargetLookRequest,
  WalkRequest,
} from "../../../../src/storage/store.ts";
import type { Context } from "../database-state.ts";
import { liveAccount } from "../database-state.ts";
import { hasExpired } from "../message-table.ts";
import type { TimedEntry } from "../message-table.ts";
import { isClosed } from "./upcoming.ts";

/** Few, so that every walk of a test needs several calls. */
const mostAtOnce = 3;

export function statsVerbs({ state }: Context) {
  const { clock, claims, messages, targets, schedules, activity } = state;

  function targetsOf({ accountId, targetId }: WalkRequest) {
    return targets
      .ofAccount(accountId)
      .map(({ target }) => target)
      .filter((target) => targetId === null || target.targetId === targetId)
      .toSorted((one, other) => (one.targetId < other.targetId ? -1 : 1));
  }

  /** The entries behind those that earlier calls have met. A cursor says how many these are. */
  function nextOf(entries: readonly TimedEntry[], after: string | null) {
    const begin = Number(after ?? 0);
    const end = begin + mostAtOnce;
    return {
      met: entries.slice(begin, end),
      reached: end < entries.length ? String(end) : null,
    };
  }

  return {
    addActivity(additions: readonly ActivityAddition[]): void {
      for (const addition of additions) {
        if (liveAccount(state, addition.accountId) !== undefined) activity.add(addition);
      }
    },
    readActivity(query: ActivityQuery): StoredActivity[] {
      const { accountId, targetId } = query;
      if (targetId === null) return activity.read(query, null);
      const target = targets.find({ accountId, targetId })?.target;
      return target === undefined ? [] : activity.read(query, target.targetKey);
    },
    countMessages(request: CountRequest): CountSlice {
      const { list, edges } = request;
      const entries = targetsOf(request)
        .flatMap(({ targetKey }) => [
          ...(list === "scheduled"
            ? messages.scheduledOf(targetKey)
            : messages.deadOf(targetKey)
          ).all(),
        ])
        .filter(({ time }) => time >= edges[0]! && time < edges.at(-1)!);
      const { met, reached } = nextOf(entries, request.after);
      const counts = Array.from({ length: edges.length - 1 }, () => 0);
      for (const { time } of met) counts[placeBetween(edges, time)]!++;
      return { counts, reached };
    },
    countOverdue({ until, after, mostOfOne }: OverdueRequest): OverdueSlice {
      const due = [...targets.liveBehind(0)]
        .filter((kept) => !isClosed(state, kept))
        .flatMap(({ target }) =>
          [...messages.scheduledOf(target.targetKey).all()]
            .filter(({ time }) => time <= until)
            .slice(0, Math.max(mostOfOne, mostAtOnce)),
        );
      const { met, reached } = nextOf(due, after);
      const times = met.map(({ time }) => time);
      const oldestDueAt = times.length === 0 ? null : Math.min(...times);
      return { count: met.length, oldestDueAt, reached };
    },
    groupDeadLetters(request: GroupRequest): GroupSlice {
      const lists = targetsOf(request).map(({ targetKey }) =>
        [...messages.deadOf(targetKey).all()].toReversed(),
      );
      const wanted = lists.flatMap((list) => list.slice(0, request.mostOfOne));
      const { met, reached } = nextOf(wanted, request.after);
      const groups = new DeadLetterGroups();
      for (const { messageId } of met) {
        const stored = messages.get(messageId)!;
        if (hasExpired(stored, clock.now())) continue;
        groups.add(stored.message, stored.attempts.at(-1)?.statusCode ?? null);
      }
      const exact = lists.every(({ length }) => length <= request.mostOfOne);
      return { groups: groups.all(), exact, reached };
    },
    walkSchedules({ accountId, targetId, after }: WalkRequest): ScheduleSlice {
      const wanted = schedules
        .ofAccount(liveAccount(state, accountId) === undefined ? "" : accountId)
        .map(({ schedule }) => schedule)
        .filter((schedule) => targetId === null || schedule.targetId === targetId)
        .filter(({ scheduleId }) => scheduleId > (after ?? ""))
        .toSorted((one, other) => (one.scheduleId < other.scheduleId ? -1 : 1));
      const met = wanted.slice(0, mostAtOnce);
      const reached = met.length < wanted.length ? met.at(-1)!.scheduleId : null;
      return { schedules: dueSchedules(met), reached };
    },
    lookAtTargets(request: TargetLookRequest): TargetLook[] {
      const { accountId, mostDead, dueUntil, activeFrom } = request;
      return request.targets.slice(0, mostAtOnce).map(({ targetKey, mostDue }) => {
        const all = [...messages.scheduledOf(targetKey).all()];
        const due = all.filter(({ time }) => time <= dueUntil).length;
        const span = { accountId, targetId: null, span: "minute", from: activeFrom } as const;
        const rows = activity.read({ ...span, until: Infinity }, targetKey);
        return {
          due: Math.min(due, mostDue),
          dead: Math.min([...messages.deadOf(targetKey).all()].length, mostDead),
          activity: rows.reduce<ActivityCounts>(
            (sum, { counts }) => addCounts(sum, counts),
            noActivity(),
          ),
        };
      });
    },
    countInFlight(targetKeys: readonly number[]): number[] {
      return targetKeys.map((targetKey) => claims.countOf(targetKey));
    },
  };
}
