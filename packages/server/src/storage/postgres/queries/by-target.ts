import type { MessageCandidate } from "../rows/message-candidate.ts";

interface TargetCandidates {
  readonly accountId: string;
  readonly targetId: string;
  count: number;
  index: number;
}

/**
 * Lists each target once, with the number of its messages, and for each message the index of its
 * target, from 1. The order is that in which the removal of an account locks its targets, so that
 * neither waits for the other in a circle.
 */
export function byTarget(candidates: readonly MessageCandidate[]) {
  const targets: TargetCandidates[] = [];
  const known = new Map<string, Map<string, TargetCandidates>>();
  const ofCandidates = candidates.map(({ request: { accountId, targetId } }) => {
    let ofAccount = known.get(accountId);
    if (ofAccount === undefined) known.set(accountId, (ofAccount = new Map()));
    let target = ofAccount.get(targetId);
    if (target === undefined) {
      target = { accountId, targetId, count: 0, index: 0 };
      targets.push(target);
      ofAccount.set(targetId, target);
    }
    target.count++;
    return target;
  });
  const before = (a: TargetCandidates, b: TargetCandidates): boolean =>
    a.targetId === b.targetId ? a.accountId < b.accountId : a.targetId < b.targetId;
  targets.sort((a, b) => (before(a, b) ? -1 : 1));
  for (const [index, target] of targets.entries()) target.index = index + 1;
  return { targets, indexes: ofCandidates.map(({ index }) => index) };
}
