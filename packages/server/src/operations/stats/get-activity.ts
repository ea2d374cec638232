import type { Caller } from "../../domain/access.ts";
import { addCounts, noActivity, viewActivity } from "../../domain/activity.ts";
import type { ActivityCounts, ActivityView } from "../../domain/activity.ts";
import type { Instant } from "../../domain/message.ts";
import { RequestRefused } from "../../domain/refusals.ts";
import { beginningOf } from "../../domain/time-buckets.ts";
import type { Store } from "../../storage/store.ts";
import { readRange, readTargetId } from "./given-range.ts";
import type { BucketRange, GivenRange } from "./given-range.ts";
import { refuseMissingTarget } from "./named-target.ts";

export interface GetActivityOptions {
  readonly store: Pick<Store, "readActivity" | "getTarget" | "clock">;
}

export interface Activity extends BucketRange {
  readonly targetId: string | null;
  readonly total: ActivityView;
  readonly items: readonly (ActivityView & { readonly time: Instant })[];
}

export async function getActivity(
  { store }: GetActivityOptions,
  { accountId }: Caller,
  given: GivenRange,
): Promise<Activity> {
  const problems = [...given.problems];
  const targetId = readTargetId(given.targetId, problems);
  const anchor = { now: store.clock.now(), begins: false, usualBucket: "minute" } as const;
  const range = readRange(given, anchor, problems);
  if (problems.length > 0) throw new RequestRefused(...problems);
  await refuseMissingTarget(store, accountId, targetId);
  const { bucket, from, until } = range;
  const span = bucket === "minute" ? "minute" : "hour";
  const rows = await store.readActivity({ accountId, targetId, span, from, until });
  const buckets = new Map<Instant, ActivityCounts>();
  let total: ActivityCounts = noActivity();
  for (const { time, counts } of rows) {
    const begin = beginningOf(time, bucket);
    const before = buckets.get(begin);
    buckets.set(begin, before === undefined ? counts : addCounts(before, counts));
    total = addCounts(total, counts);
  }
  const items = [...buckets].map(([time, counts]) => ({ time, ...viewActivity(counts) }));
  return { ...range, targetId, total: viewActivity(total), items };
}
