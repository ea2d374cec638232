import { heldLookTime } from "../../../../../src/storage/held-schedules.ts";
import { StepTally } from "../../../../../src/storage/step-tally.ts";
import type { AdvancedSchedules, Holder } from "../../../../../src/storage/store.ts";
import { liveAccount } from "../../database-state.ts";
import type { Context } from "../../database-state.ts";
import type { KeptSchedule } from "../../schedule-table.ts";
import { mayAdvance } from "./may-advance.ts";
import { scheduleSurroundings } from "./surroundings.ts";
import { takeStep } from "./take-step.ts";

export function advanceSchedules(context: Context) {
  const { state, node } = context;
  const { clock, rules, schedules } = state;
  const surroundings = scheduleSurroundings(state);
  const take = takeStep(context);
  /** The account that had the last turn. */
  let lastAccountId = "";

  /** Half of them the longest due, the others one of each account, in turn. */
  function chosen(due: readonly KeptSchedule[], limit: number): KeptSchedule[] {
    const longest = due.slice(0, Math.ceil(limit / 2));
    const byAccount = Map.groupBy(due.slice(longest.length), ({ schedule }) => schedule.accountId);
    const accountIds = [...byAccount.keys()].toSorted();
    const next = accountIds.findIndex((accountId) => accountId > lastAccountId);
    const inTurn = [
      ...accountIds.slice(Math.max(0, next)),
      ...accountIds.slice(0, Math.max(0, next)),
    ];
    const others: KeptSchedule[] = [];
    const room = Math.min(limit, due.length) - longest.length;
    for (let turn = 0; others.length < room; turn++) {
      const accountId = inTurn[turn % inTurn.length]!;
      const [first, ...rest] = byAccount.get(accountId)!;
      if (first === undefined) continue;
      byAccount.set(accountId, rest);
      others.push(first);
      lastAccountId = accountId;
    }
    return [...longest, ...others];
  }

  return (holder: Holder, limit: number): AdvancedSchedules => {
    const now = clock.now();
    const tally = new StepTally();
    let advanced = 0;
    for (const kept of mayAdvance(context, holder) ? chosen(schedules.due(now), limit) : []) {
      const { schedule } = kept;
      if (liveAccount(state, schedule.accountId)?.state === "SUSPENDED") {
        const progress = { ...schedule.progress, lookTime: heldLookTime };
        kept.schedule = { ...schedule, progress };
        continue;
      }
      const around = surroundings.forAdvance(kept, now);
      take(kept, rules.advanced(schedule, around, node.timeZones), now, tally);
      advanced++;
    }
    const { runs, planned, nextBound } = tally;
    return { advanced, runs, planned, nextBound, nextLookTime: schedules.nextLookTime, now };
  };
}
