import type { Caller } from "../../domain/access.ts";
import type { Instant } from "../../domain/message.ts";
import { RequestRefused } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import { DeadLetterGroups } from "../../storage/dead-letter-groups.ts";
import type { DeadLetterGroup, Store } from "../../storage/store.ts";
import { readTargetId } from "./given-range.ts";
import { lookInSlices } from "./look-in-slices.ts";
import type { SliceOptions } from "./look-in-slices.ts";
import type { RememberedLooks, RunningLook } from "./remembered-looks.ts";

export interface ListDeadLetterGroupsOptions extends SliceOptions {
  readonly store: Pick<Store, "groupDeadLetters" | "clock">;
  readonly looks: RememberedLooks;
}

export interface DeadLetterGroupQuery {
  readonly targetId?: string | undefined;
  readonly problems: readonly Problem[];
}

export interface DeadLetterGroupList {
  readonly exact: boolean;
  readonly asOf: Instant;
  readonly items: readonly DeadLetterGroup[];
}

const mostOfOneTarget = 5_000;
const mostGroups = 1_000;
/** How long the store may work for one list. */
const longestMs = 400;
const freshMs = 2_000;

/** As a list of dead letters: an unknown target has none. */
export async function listDeadLetterGroups(
  options: ListDeadLetterGroupsOptions,
  { accountId }: Caller,
  given: DeadLetterGroupQuery,
): Promise<DeadLetterGroupList> {
  const problems = [...given.problems];
  const targetId = readTargetId(given.targetId, problems);
  if (problems.length > 0) throw new RequestRefused(...problems);
  const name = JSON.stringify(["groups", targetId]);
  return options.looks.get(accountId, name, () => groupAll(options, accountId, targetId));
}

function groupAll(
  options: ListDeadLetterGroupsOptions,
  accountId: string,
  targetId: string | null,
): RunningLook<DeadLetterGroupList> {
  const { store } = options;
  const asOf = store.clock.now();
  const groups = new DeadLetterGroups();
  let workedMs = 0;
  let hasLeftOut = false;
  let isWhole = false;
  const look = lookInSlices(options, {
    accountId,
    read: (after) =>
      store.groupDeadLetters({ accountId, targetId, mostOfOne: mostOfOneTarget, after }),
    found(slice, tookMs) {
      for (const group of slice.groups) groups.merge(group);
      hasLeftOut ||= !slice.exact;
      workedMs += tookMs;
    },
    isOver: () => workedMs >= longestMs || groups.size > mostGroups,
  });
  return {
    ended: look.then((whole) => void (isWhole = whole)),
    view() {
      const items = groups
        .all()
        .toSorted((one, other) => other.count - one.count || other.lastTime - one.lastTime);
      const exact = isWhole && !hasLeftOut && items.length <= mostGroups;
      return { exact, asOf, items: items.slice(0, mostGroups) };
    },
    freshMs: () => freshMs,
  };
}
