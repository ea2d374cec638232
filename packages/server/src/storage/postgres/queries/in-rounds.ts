import type { ScheduleRequest, ScheduleResult } from "../../store.ts";

type Results = (ScheduleResult | undefined)[];

/**
 * Requests for the same key are decided one after the other, because each meets what the one before has made
 * of it. All others are decided together. If one of a round stays undecided, so do the rounds after it.
 */
export async function inRounds<Result extends Results[number]>(
  requests: readonly ScheduleRequest[],
  decide: (requests: readonly ScheduleRequest[]) => Promise<Result[]>,
): Promise<Result[]> {
  const rounds = roundsOf(requests);
  if (rounds.length <= 1) return decide(requests);
  const results: Result[] = Array.from({ length: requests.length });
  for (const round of rounds) {
    const decided = await decide(round.map((index) => requests[index]!));
    for (const [position, index] of round.entries()) results[index] = decided[position]!;
    if (decided.includes(undefined as Result)) break;
  }
  return results;
}

/** The indexes of the requests, round by round. */
function roundsOf(requests: readonly ScheduleRequest[]): number[][] {
  const rounds: number[][] = [];
  const times = new Map<string, number>();
  for (const [index, { accountId, targetId, wantedKey }] of requests.entries()) {
    let round = 0;
    if (wantedKey !== undefined) {
      const name = JSON.stringify([accountId, targetId, wantedKey.key]);
      round = times.get(name) ?? 0;
      times.set(name, round + 1);
    }
    (rounds[round] ??= []).push(index);
  }
  return rounds;
}
