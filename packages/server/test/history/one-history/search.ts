import type { Instant } from "../../../src/domain/message.ts";
import type { PossibleMessage } from "./possible-message.ts";

/** Something that happened at one point between two instants, or, if it is optional, perhaps never. */
export interface Step {
  /** What it is called in the story of a violation. */
  readonly label: string;
  readonly from: Instant;
  readonly until: Instant;
  readonly isOptional: boolean;
  /** Those of one sequence happen in its order. */
  readonly sequence: number | null;
  /** A guess where it belongs; a good one makes the search short. */
  readonly guess: Instant;
  /** What the message may be after it; none: it cannot have happened at this point. */
  apply(message: PossibleMessage): readonly PossibleMessage[];
}

export interface SearchResult {
  readonly verdict: "explained" | "impossible" | "undecided";
  readonly tried: number;
  /** What could not be placed where the search came furthest. */
  readonly stuckAt: string;
}

/**
 * Looks for an order of the steps that fits the times of each and in which each is possible after the
 * one before: the order that the store must have gone through if it is to be one history. Depth first by
 * the guesses, what may never have happened only where nothing else fits; dead ends that were met before
 * are not entered again.
 */
export function findOrder(
  steps: readonly Step[],
  start: PossibleMessage,
  mostSteps: number,
): SearchResult {
  const inOrder = steps.toSorted(
    (one, other) => Number(one.isOptional) - Number(other.isOptional) || one.guess - other.guess,
  );
  const taken = inOrder.map(() => false);
  const deadEnds = new Set<string>();
  let tried = 0;
  let fewestLeft = Infinity;
  let stuckAt = "";
  let left = inOrder.filter(({ isOptional }) => !isOptional).length;

  function goOn(message: PossibleMessage): boolean {
    if (left === 0) return true;
    const place = tried > 32 ? nameOf(taken, message) : undefined;
    if (place !== undefined && deadEnds.has(place)) return false;
    if (left < fewestLeft) {
      fewestLeft = left;
      stuckAt = inOrder.find((step, index) => !taken[index] && !step.isOptional)?.label ?? "";
    }
    const latest = latestNext(inOrder, taken);
    for (const [index, step] of inOrder.entries()) {
      if (taken[index] || step.from > latest || !isInSequence(inOrder, taken, step)) continue;
      if (++tried > mostSteps) return false;
      const outcomes = step.apply(message);
      taken[index] = true;
      if (!step.isOptional) left--;
      for (const outcome of outcomes) if (goOn(outcome)) return true;
      taken[index] = false;
      if (!step.isOptional) left++;
      // It fits here and changes nothing: no other place for it could help where this one did not.
      if (outcomes.length === 1 && outcomes[0] === message) break;
    }
    if (place !== undefined) deadEnds.add(place);
    return false;
  }

  if (goOn(start)) return { verdict: "explained", tried, stuckAt };
  return { verdict: tried > mostSteps ? "undecided" : "impossible", tried, stuckAt };
}

/** Whatever comes next cannot come after something that was over by then. */
function latestNext(steps: readonly Step[], taken: readonly boolean[]): Instant {
  let latest = Infinity;
  for (const [index, { isOptional, until }] of steps.entries()) {
    if (!taken[index] && !isOptional) latest = Math.min(latest, until);
  }
  return latest;
}

function isInSequence(steps: readonly Step[], taken: readonly boolean[], step: Step): boolean {
  if (step.sequence === null) return true;
  return steps.every(({ sequence, isOptional }, index) => {
    if (sequence === null || sequence === step.sequence) return true;
    return sequence < step.sequence! ? taken[index] || isOptional : !taken[index];
  });
}

function nameOf(taken: readonly boolean[], message: PossibleMessage): string {
  const { state, failures, round, next, last, since, isOverruled, before } = message;
  const done = taken.map((each) => (each ? "1" : "0")).join("");
  return `${done} ${state} ${failures} ${round} ${next?.min} ${next?.max} ${last?.min} ${since.min} ${since.max} ${isOverruled} ${before !== null}`;
}
