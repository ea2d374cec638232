import type { ScheduleRequest, ScheduleResult } from "../../store.ts";

type Results = (ScheduleResult | undefined)[];

/** Nothing has happened: another call was about to change what this one needs. */
export const unmet = Symbol("unmet");

/** How often a request by itself may find that what it waited for has changed again. */
const mostTries = 5;

/**
 * Requests for the same key are decided one after the other, because each meets what the one before has made
 * of it. All others are decided together, and what stays unmet after that by itself. If one of a round stays
 * undecided, so do the rounds after it.
 */
export async function inRounds<Result extends Results[number]>(
  requests: readonly ScheduleRequest[],
  decide: (requests: readonly ScheduleRequest[]) => Promise<(Result | typeof unmet)[]>,
): Promise<(Result | Held)[]> {
  const results: (Result | Held)[] = Array.from({ length: requests.length });
  for (const round of roundsOf(requests)) {
    const decided = await decide(round.map((index) => requests[index]!));
    for (const [position, index] of round.entries()) {
      const result = decided[position]!;
      results[index] = result === unmet ? await decideAlone(requests[index]!) : result;
    }
    if (round.some((index) => results[index] === undefined)) break;
  }
  return results;

  async function decideAlone(request: ScheduleRequest): Promise<Result | Held> {
    for (let tries = 0; tries < mostTries; tries++) {
      const [result] = await decide([request]);
      if (result !== unmet) return result as Result;
    }
    return { kind: "held", messageId: null };
  }
}

type Held = Extract<ScheduleResult, { readonly kind: "held" }>;

/** The indexes of the requests, round by round. */
function roundsOf(requests: readonly ScheduleRequest[]): number[][] {
  const rounds: number[][] = [];
  const times = new Map<string, number>();
  for (const [index, { accountId, targetId, wantedKey }] of requests.entries()) {
    let round = 0;
    if (wantedKey !== undefined) {
      // Ids have no spaces.
      const name = `${accountId} ${targetId} ${wantedKey.key}`;
      round = times.get(name) ?? 0;
      times.set(name, round + 1);
    }
    (rounds[round] ??= []).push(index);
  }
  return rounds;
}
