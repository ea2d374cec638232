import type {
  DuePosition,
  DueTarget,
  DueWindow,
  TargetWindow,
  Upcoming,
  UpcomingByTarget,
} from "../../../../src/storage/store.ts";
import { liveAccount } from "../database-state.ts";
import type { Context, DatabaseState } from "../database-state.ts";
import type { KeptTarget } from "../target-table.ts";

/** By far the most frequent answer, so it is one shared object. */
const nothing: Upcoming = { targets: [], reached: null };

const behindEveryId = "\uffff";

export function upcoming({ state }: Context) {
  const { messages, claims, targets } = state;
  return ({ after, until, limit }: DueWindow): Upcoming => {
    const { first } = messages.timeline;
    if (first === undefined || first.time > until) return nothing;
    const start = messages.timeline.from({
      time: after?.time ?? -Infinity,
      targetKey: after?.targetKey ?? 0,
      messageId: behindEveryId,
    });
    const found = new Map<number, DueTarget>();
    let last: DuePosition | null = null;
    let looked = 0;
    for (const { time, targetKey, messageId } of start) {
      if (time > until || looked === limit) break;
      looked++;
      last = { time, targetKey };
      if (found.has(targetKey) || claims.get(messageId) !== undefined) continue;
      const kept = targets.liveByKey(targetKey);
      if (kept === undefined || isClosed(state, kept)) continue;
      const { accountId, revision } = kept.target;
      found.set(targetKey, { accountId, targetKey, revision, dueAt: time });
    }
    return {
      targets: [...found.values()],
      reached: looked >= limit ? last : null,
    };
  };
}

export function upcomingByTarget({ state }: Context) {
  const { messages, claims, targets } = state;
  return ({ after, until, limit }: TargetWindow): UpcomingByTarget => {
    const looked = targets
      .liveBehind(after ?? 0)
      .filter((kept) => !isClosed(state, kept))
      .take(limit)
      .map(({ target }) => target)
      .toArray();
    return {
      targets: looked.flatMap(({ accountId, targetKey, revision }): DueTarget[] => {
        const waiting = messages.scheduledOf(targetKey).from(beforeEverything);
        for (const { time, messageId } of waiting) {
          if (time > until) break;
          if (claims.get(messageId) !== undefined) continue;
          return [{ accountId, targetKey, revision, dueAt: time }];
        }
        return [];
      }),
      reached: looked.length < limit ? null : looked.at(-1)!.targetKey,
    };
  };
}

const beforeEverything = { time: -Infinity, targetKey: 0, messageId: "" };

export function isClosed(state: DatabaseState, { target }: KeptTarget): boolean {
  return target.paused || liveAccount(state, target.accountId)?.state !== "ACTIVE";
}
