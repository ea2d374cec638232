import type { TimeQuery } from "@postdate/client";
import { postdate } from "../../api/postdate.ts";

/** So many targets are asked for what is due: each is a request. */
export const mostTargets = 200;
const askedAtOnce = 5;
const counted = 100;

interface DueTarget {
  readonly targetId: string;
  readonly count: number;
  readonly isMore: boolean;
}

interface DueTargets {
  readonly targets: readonly DueTarget[];
  /** False: some messages are for targets that were not asked. */
  readonly isWhole: boolean;
}

interface Wanted {
  readonly range: TimeQuery;
  /** Undefined: all targets. */
  readonly targetId: string | undefined;
  readonly messages: number;
}

/** Asks target by target, until all messages of the time are found. */
export async function findDueTargets(
  { range, targetId, messages }: Wanted,
  signal: AbortSignal,
): Promise<DueTargets> {
  const targets: DueTarget[] = [];
  const ask = async (ids: readonly string[]): Promise<void> => {
    const pages = await Promise.all(
      ids.map((id) =>
        postdate.targets.scheduled(id, { ...range, limit: counted }, { signal }).page(),
      ),
    );
    for (const [place, { count, nextPageToken }] of pages.entries()) {
      if (count > 0) targets.push({ targetId: ids[place]!, count, isMore: nextPageToken !== null });
    }
  };
  if (targetId !== undefined) {
    await ask([targetId]);
    return { targets, isWhole: true };
  }
  const isFound = (): boolean =>
    targets.every(({ isMore }) => !isMore) &&
    targets.reduce((sum, { count }) => sum + count, 0) >= messages;
  const next: string[] = [];
  let met = 0;
  for await (const target of postdate.targets.list({ limit: 100 }, { signal })) {
    if (met === mostTargets) return { targets, isWhole: false };
    met += 1;
    next.push(target.targetId);
    if (next.length < askedAtOnce) continue;
    await ask(next.splice(0));
    if (isFound()) return { targets, isWhole: true };
  }
  await ask(next);
  return { targets, isWhole: true };
}
