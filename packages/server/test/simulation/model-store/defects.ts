import { nextOccurrence } from "../../../src/domain/schedules/occurrences/next-occurrence.ts";
import { recurrenceOf } from "../../../src/domain/schedules/occurrences/recurrence-of.ts";
import { decideChange } from "../../../src/domain/transitions.ts";
import type { Timer, Timers } from "../../../src/platform/timers.ts";
import { pause } from "../../../src/platform/timers.ts";
import { rightRules } from "./rules.ts";
import type { Rules } from "./rules.ts";

/** Bugs that a store could have. A check that misses them proves nothing. */
export const defectNames = [
  "result-not-fenced",
  "cancel-without-version-check",
  "quota-check-then-insert",
  "page-cursor-off-by-one",
  "retry-budget-not-reset",
  "commit-lost",
  "lease-never-ends",
  "lease-by-the-stores-clock",
  "due-by-a-wrong-clock",
  "late-look-voids-newer-claims",
  "expires-scheduled",
  "rate-closed-after-step-back",
  "claims-after-the-bound",
  "job-forgets-whom-it-met",
  "replaced-message-lives-on",
  "payload-not-replaced",
  "replaced-in-flight",
  "key-free-in-flight",
  "cursor-committed-apart",
  "catch-up-counts-the-pause",
  "fold-fires-twice",
  "edit-loses-the-flex-window",
  "edit-counts-again",
  "resume-forgets-schedules",
  "skipped-runs-pile-up",
  "older-data-computes",
  "dead-letters-in-order-of-ends",
  "late-ends-not-seen",
  "backfill-before-the-cursor-comes",
  "event-committed-apart",
  "positions-by-sequence",
] as const;

export type DefectName = (typeof defectNames)[number];

/** The time of one round trip to a database. */
const wayAndBackMs = 5;
const lateCommitMs = 300;

const wrongRules: Record<DefectName, (timers: Timers) => Partial<Rules>> = {
  "result-not-fenced": () => ({ isForClaim: () => true }),

  "cancel-without-version-check": () => ({
    mustWait(claims, claim) {
      if (claim !== undefined) claims.end(claim);
      return false;
    },
  }),

  "quota-check-then-insert": (timers) => ({
    async admission({ usage }) {
      const seen = usage.copy();
      await pause(timers, wayAndBackMs);
      return {
        admit(account, month) {
          if (!seen.admit(account, month)) return false;
          usage.count(account.accountId, month);
          return true;
        },
      };
    },
  }),

  "page-cursor-off-by-one": () => ({
    behind(list, last) {
      const [next] = rightRules.behind(list, last);
      return rightRules.behind(list, last).drop(Number(next?.time === last.time));
    },
  }),

  "retry-budget-not-reset": () => ({
    decideChange(message, change, now, retentionMs) {
      const decision = decideChange(message, change, now, retentionMs);
      const { attemptsThisRound } = message;
      return { ...decision, message: { ...decision.message, attemptsThisRound } };
    },
  }),

  "commit-lost": () => ({
    crashed({ messages, claims }, nodeId) {
      const lost = [...messages.all()].findLast(
        ({ acceptedBy, message }) =>
          acceptedBy === nodeId && message.version === 1 && !claims.get(message.messageId),
      );
      if (lost !== undefined) messages.remove(lost);
    },
  }),

  "lease-never-ends": () => ({ isOver: () => false }),

  "lease-by-the-stores-clock": () => ({
    isOver: ({ renewalTime, leaseMs }, _silentSince, now) =>
      leaseMs !== null && renewalTime + leaseMs <= now,
  }),

  "due-by-a-wrong-clock": () => ({ dueUntil: (now) => now + 1_500 }),

  "rate-closed-after-step-back": () => ({
    rateAllowance: (limit, fullAt, now) =>
      fullAt > now + limit.intervalMs ? 0 : rightRules.rateAllowance(limit, fullAt, now),
    isOutdated: () => false,
  }),

  "claims-after-the-bound": () => ({ mayAttempt: () => true }),

  "job-forgets-whom-it-met": () => ({ isNewTo: () => true }),

  "replaced-message-lives-on": () => ({
    meetHolder(newcomer, holder, time) {
      const decision = rightRules.meetHolder(newcomer, holder, time);
      return decision.kind === "anew" ? { ...decision, holder } : decision;
    },
  }),

  "payload-not-replaced": () => ({ newPayload: (before) => before }),

  "replaced-in-flight": () => ({
    meetHolder: (newcomer, holder, time) =>
      rightRules.meetHolder(newcomer, holder, { ...time, isHeld: false }),
  }),

  "key-free-in-flight": () => ({
    holderOf(state, targetKey, key) {
      const holder = rightRules.holderOf(state, targetKey, key);
      const isHeld = holder && state.claims.get(holder.message.messageId) !== undefined;
      return isHeld ? undefined : holder;
    },
  }),

  "late-look-voids-newer-claims": () => ({ isLookedAt: () => true }),

  "cursor-committed-apart": (timers) => {
    const uncommitted = new Set<{ nodeId: string; loseCursor: () => void }>();
    return {
      stepTaken(nodeId, loseCursor) {
        const step = { nodeId, loseCursor };
        uncommitted.add(step);
        timers.after(wayAndBackMs, () => uncommitted.delete(step));
      },
      crashed(_state, nodeId) {
        for (const step of uncommitted) if (step.nodeId === nodeId) step.loseCursor();
      },
    };
  },

  "event-committed-apart": (timers) => {
    const uncommitted = new Set<{ readonly nodeId: string; readonly timer: Timer }>();
    return {
      writeEvent(nodeId, write) {
        const timer = timers.after(wayAndBackMs, () => {
          uncommitted.delete(event);
          write();
        });
        const event = { nodeId, timer };
        uncommitted.add(event);
      },
      crashed(_state, nodeId) {
        for (const event of uncommitted) if (event.nodeId === nodeId) event.timer.cancel();
      },
    };
  },

  // Some commits are late: what stands behind them can be read before them.
  "positions-by-sequence": () => ({
    readable: (log, now) =>
      log.filter(({ position, time }) => position % 3 !== 0 || time + lateCommitMs <= now),
  }),

  "catch-up-counts-the-pause": () => ({
    changed(schedule, change, surroundings, zones) {
      const { pause, progress } = schedule;
      if (change.kind !== "resume" || pause === null) {
        return rightRules.changed(schedule, change, surroundings, zones);
      }
      const nextRunTime = nextOccurrence(recurrenceOf(schedule, zones), progress.cursor);
      const { now } = surroundings;
      const resumed = { ...schedule, pause: null, nextRunTime, updateTime: now };
      return rightRules.advanced(resumed, surroundings, zones);
    },
  }),

  "fold-fires-twice": () => ({
    advanced(schedule, surroundings, zones) {
      const wrong = { ...schedule, cron: schedule.cron && schedule.cron.map(asElapsed) };
      const step = rightRules.advanced(wrong, surroundings, zones);
      return { ...step, schedule: { ...step.schedule, cron: schedule.cron } };
    },
  }),

  "edit-loses-the-flex-window": () => ({
    changed(schedule, change, surroundings, zones) {
      const step = rightRules.changed(schedule, change, surroundings, zones);
      if (change.kind !== "define" || typeof step === "string") return step;
      const isToCome = ({ runTime }: { runTime: number }): boolean => runTime > surroundings.now;
      return { ...step, messages: step.messages.filter(isToCome) };
    },
  }),

  "edit-counts-again": () => ({
    changed(...given) {
      const step = rightRules.changed(...given);
      if (typeof step === "string") return step;
      return { ...step, messages: step.messages.map((each) => ({ ...each, counts: true })) };
    },
  }),

  "resume-forgets-schedules": () => ({ resumed: () => {} }),

  "skipped-runs-pile-up": () => ({ removeUnmade: () => {} }),

  "older-data-computes": () => ({ mayCompute: () => true }),

  // As if each run had been due when its end was seen.
  "dead-letters-in-order-of-ends": () => ({
    judged(schedule, ended, now) {
      const inOrder = ended.toSorted((one, other) => one.runTime - other.runTime);
      const asSeen = inOrder.map((run, place) => ({ ...run, runTime: now + place }));
      return rightRules.judged(schedule, asSeen, now);
    },
  }),

  "late-ends-not-seen": () => ({ nextJudgeTime: () => null }),

  "backfill-before-the-cursor-comes": () => ({
    timesToBackfill(schedule, ...given) {
      const progress = { ...schedule.progress, cursor: Infinity };
      return rightRules.timesToBackfill({ ...schedule, progress }, ...given);
    },
  }),

  "expires-scheduled": () => ({
    expired(context, now, limit) {
      const { messages, claims } = context.state;
      const scheduled = messages.timeline
        .all()
        .map(({ messageId }) => messages.get(messageId)!)
        .filter(({ message }) => message.schedulingTime + context.node.retentionMs <= now)
        .filter(({ message }) => claims.get(message.messageId) === undefined);
      return [...rightRules.expired(context, now, limit), ...scheduled].slice(0, limit);
    },
  }),
};

/** The same times, said in a way that follows elapsed time. */
function asElapsed(cron: string): string {
  const fields = cron.split(" ");
  const place = fields.length - 4;
  const [hour = "", ...more] = fields[place]!.split(",");
  if (!/^\d+$/.test(hour)) return cron;
  return fields.with(place, [`${hour}-${hour}`, ...more].join()).join(" ");
}

export function rulesWith(defects: ReadonlySet<DefectName>, timers: Timers): Rules {
  const wrong = [...defects].map((name) => wrongRules[name](timers));
  return Object.assign({}, rightRules, ...wrong);
}
