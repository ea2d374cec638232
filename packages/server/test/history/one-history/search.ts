import type { Instant } from "../../../src/domain/message.ts";

/** An event at one point between two instants. An optional one may never have happened. */
export interface Step<State> {
  /** The name of the step in the story of a violation. */
  readonly label: string;
  readonly from: Instant;
  readonly until: Instant;
  readonly isOptional: boolean;
  /** An optional step that most often happens, so it is tried among those that must. */
  readonly isLikely?: boolean;
  /** An optional step that may happen several times. It must change the state so that it does not fit again at once. */
  readonly isRepeatable?: boolean;
  /** Steps of one sequence happen in its order. */
  readonly sequence: number | null;
  /** What the sequence belongs to, if there are several. */
  readonly sequenceOf?: string;
  /** A guess of its instant. A good guess makes the search short. */
  readonly guess: Instant;
  /** What may be the state after the step. Empty if the step cannot have happened at this point. */
  apply(state: State): readonly State[];
}

export interface SearchOptions<State> {
  readonly mostSteps: number;
  /** Two states with the same name have the same future. */
  readonly nameOf: (state: State) => string;
}

export interface SearchResult {
  readonly verdict: "explained" | "impossible" | "undecided";
  readonly tried: number;
  /** The step that did not fit where the search came furthest. */
  readonly stuckAt: string;
}

/**
 * Looks for an order of the steps that fits their times and in which each step is possible after the one
 * before. That is the order in which the store must have applied them, if there is one history. The search
 * goes depth first by the guesses and tries an unlikely step last. It does not enter a known dead end again.
 */
export function findOrder<State>(
  steps: readonly Step<State>[],
  start: State,
  { mostSteps, nameOf }: SearchOptions<State>,
): SearchResult {
  const inOrder = steps.toSorted(
    (one, other) =>
      Number(isUnlikely(one)) - Number(isUnlikely(other)) ||
      // Calls that are answered together were most likely decided as they came. Infinity minus itself is no number.
      one.guess - other.guess ||
      one.from - other.from ||
      0,
  );
  const taken = inOrder.map(() => false);
  const deadEnds = new Set<string>();
  let tried = 0;
  let fewestLeft = Infinity;
  let stuckAt = "";
  let left = inOrder.filter(({ isOptional }) => !isOptional).length;

  function goOn(state: State): boolean {
    if (left === 0) return true;
    const place = tried > 32 ? `${whichOf(taken)} ${nameOf(state)}` : undefined;
    if (place !== undefined && deadEnds.has(place)) return false;
    if (left < fewestLeft) {
      fewestLeft = left;
      stuckAt = inOrder.find((step, index) => !taken[index] && !step.isOptional)?.label ?? "";
    }
    const latest = latestNext(inOrder, taken);
    for (const [index, step] of inOrder.entries()) {
      if (taken[index] || step.from > latest || !isInSequence(inOrder, taken, step)) continue;
      if (++tried > mostSteps) return false;
      const outcomes = step.apply(state);
      taken[index] = step.isRepeatable !== true;
      if (!step.isOptional) left--;
      for (const outcome of outcomes) if (goOn(outcome)) return true;
      taken[index] = false;
      if (!step.isOptional) left++;
      // The step fits here and changes nothing. If the search fails with it here, it fails with it
      // elsewhere.
      if (outcomes.length === 1 && outcomes[0] === state) break;
    }
    if (place !== undefined) deadEnds.add(place);
    return false;
  }

  if (goOn(start)) return { verdict: "explained", tried, stuckAt };
  return { verdict: tried > mostSteps ? "undecided" : "impossible", tried, stuckAt };
}

function isUnlikely<State>({ isOptional, isLikely = false }: Step<State>): boolean {
  return isOptional && !isLikely;
}

/** The next step cannot come after the end of a step that is still missing. */
function latestNext<State>(steps: readonly Step<State>[], taken: readonly boolean[]): Instant {
  let latest = Infinity;
  for (const [index, { isOptional, until }] of steps.entries()) {
    if (!taken[index] && !isOptional) latest = Math.min(latest, until);
  }
  return latest;
}

function isInSequence<State>(
  steps: readonly Step<State>[],
  taken: readonly boolean[],
  step: Step<State>,
): boolean {
  if (step.sequence === null) return true;
  return steps.every(({ sequence, sequenceOf, isOptional }, index) => {
    if (sequence === null || sequence === step.sequence) return true;
    if (sequenceOf !== step.sequenceOf) return true;
    return sequence < step.sequence! ? taken[index] || isOptional : !taken[index];
  });
}

function whichOf(taken: readonly boolean[]): string {
  return taken.map((each) => (each ? "1" : "0")).join("");
}
