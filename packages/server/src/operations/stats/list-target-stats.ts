import type { Caller } from "../../domain/access.ts";
import { viewActivity } from "../../domain/activity.ts";
import type { Instant } from "../../domain/message.ts";
import type { PageTokens } from "../../domain/page-token.ts";
import { RequestRefused } from "../../domain/refusals.ts";
import type { Target } from "../../domain/target.ts";
import { beginningOf, bucketMs } from "../../domain/time-buckets.ts";
import type { Store, TargetLook } from "../../storage/store.ts";
import { defaultPageSize, makePage, readCursor } from "../paging/list-page.ts";
import type { Page } from "../paging/list-page.ts";
import type { TargetListQuery } from "../targets/list-targets.ts";
import { targetNotFound } from "../targets/target-view.ts";
import type { Count } from "./get-stats.ts";
import { readTargetId } from "./given-range.ts";
import type { SliceOptions } from "./look-in-slices.ts";

export interface ListTargetStatsOptions extends Pick<SliceOptions, "slicesInTurn"> {
  readonly store: Pick<
    Store,
    "getTarget" | "listTargets" | "lookAtTargets" | "countInFlight" | "clock"
  >;
  readonly pageTokens: PageTokens;
}

export interface TargetStatsQuery extends TargetListQuery {
  readonly targetId?: string | undefined;
}

export interface TargetStats {
  readonly targetId: string;
  readonly paused: boolean;
  readonly inFlight: number;
  readonly maxConcurrency: number;
  /** Due, and not in an attempt. */
  readonly waiting: Count;
  readonly deadLetters: Count;
  readonly lastHour: { readonly attempts: number; readonly failed: number };
}

/** What of one target is counted at most, if all of them are listed or only this one is asked for. */
const mostCounted = { ofEach: 100, ofOne: 10_000 };

export async function listTargetStats(
  options: ListTargetStatsOptions,
  { accountId }: Caller,
  query: TargetStatsQuery,
): Promise<Page<TargetStats>> {
  const { store, pageTokens } = options;
  const problems = [...query.problems];
  const targetId = readTargetId(query.targetId, problems);
  const walk = {
    ...{ accountId, targetId, operation: "listTargetStats" },
    ...{ minTime: null, maxTime: null },
  };
  const cursor = readCursor(pageTokens, walk, query.pageToken, problems);
  const limit = query.limit ?? defaultPageSize;
  const found =
    targetId === null
      ? await store.listTargets(accountId, { after: cursor, limit: limit + 1 })
      : await theOne(store, accountId, targetId);
  const cursorOf = (target: Target): string => target.targetId;
  const page = makePage({ tokens: pageTokens, walk, cursor, limit, found, cursorOf });
  const most = targetId === null ? mostCounted.ofEach : mostCounted.ofOne;
  return { ...page, items: await lookAtAll(options, accountId, page.items, most) };
}

/** Zeros for a target that does not exist would hide a mistake. */
async function theOne(
  store: Pick<Store, "getTarget">,
  accountId: string,
  targetId: string,
): Promise<Target[]> {
  const target = await store.getTarget({ accountId, targetId });
  if (target === undefined) throw new RequestRefused(targetNotFound(targetId));
  return [target];
}

async function lookAtAll(
  { store, slicesInTurn }: ListTargetStatsOptions,
  accountId: string,
  targets: readonly Target[],
  most: number,
): Promise<TargetStats[]> {
  const stats: TargetStats[] = [];
  while (stats.length < targets.length) {
    const next = targets.slice(stats.length);
    await slicesInTurn.run(accountId, async () => {
      const asOf = store.clock.now();
      const inFlight = await store.countInFlight(next.map(({ targetKey }) => targetKey));
      const looks = await store.lookAtTargets({
        accountId,
        // What is in an attempt still counts as due, so that many more show whether others wait.
        targets: next.map(({ targetKey }, place) => ({
          targetKey,
          mostDue: most + 1 + inFlight[place]!,
        })),
        mostDead: most + 1,
        dueUntil: asOf,
        activeFrom: beginningOf(asOf - bucketMs.hour + bucketMs.minute, "minute"),
      });
      for (const [place, look] of looks.entries()) {
        stats.push(viewStats(next[place]!, look, { inFlight: inFlight[place]!, most, asOf }));
      }
    });
  }
  return stats;
}

interface Seen {
  readonly inFlight: number;
  readonly most: number;
  readonly asOf: Instant;
}

function viewStats(
  { targetId, paused, maxConcurrency }: Target,
  { due, dead, activity }: TargetLook,
  { inFlight, most, asOf }: Seen,
): TargetStats {
  const { attempts, outcomes } = viewActivity(activity);
  const capped = (value: number): Count => ({
    value: Math.min(value, most),
    exact: value <= most,
    asOf,
  });
  return {
    ...{ targetId, paused, inFlight, maxConcurrency },
    waiting: capped(Math.max(0, due - inFlight)),
    deadLetters: capped(dead),
    lastHour: { attempts, failed: attempts - outcomes.DELIVERED },
  };
}
