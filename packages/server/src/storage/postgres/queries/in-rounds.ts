import { changesHolder } from "../../../domain/message-key.ts";
import type { ScheduleRequest, ScheduleResult } from "../../store.ts";

/** Nothing has happened: another request was about to change what this one needs. */
export const unmet = Symbol("unmet");

/** Undefined: undecided, and nothing has happened. */
export type Decided = ScheduleResult | typeof unmet | undefined;

/** How often a request by itself may find that what it waited for has changed again. */
const mostTries = 5;

/**
 * Requests for the same key are decided one after the other, because each meets what the one before has made
 * of it. All others are decided together, and what stays unmet after that by itself. If one of a round stays
 * undecided, so do the rounds after it.
 */
export async function inRounds<Result extends ScheduleResult | undefined>(
  requests: readonly ScheduleRequest[],
  decide: (requests: readonly ScheduleRequest[]) => Promise<(Result | typeof unmet)[]>,
): Promise<(Result | ScheduleResult)[]> {
  const results: (Result | ScheduleResult)[] = Array.from({ length: requests.length });
  let lines = linesOf(requests);
  while (lines.length > 0) {
    const round = lines.map(([first]) => first!);
    const decided = await decide(round.map((index) => requests[index]!));
    for (const [position, index] of round.entries()) {
      const result = decided[position]!;
      results[index] = result === unmet ? await decideAlone(requests[index]!) : result;
    }
    if (round.some((index) => results[index] === undefined)) break;
    lines = lines
      .map((line) => line.slice(answerBehind(requests, line, results)))
      .filter(({ length }) => length > 0);
  }
  return results;

  async function decideAlone(request: ScheduleRequest): Promise<Result | ScheduleResult> {
    for (let tries = 0; tries < mostTries; tries++) {
      const [result] = await decide([request]);
      if (result !== unmet) return result as Result;
    }
    return { kind: "held", messageId: null };
  }
}

/**
 * Decides about the first request for each key, once. The requests behind it stay unmet, unless their answers
 * follow from its own.
 */
export async function inOneRound(
  requests: readonly ScheduleRequest[],
  decide: (requests: readonly ScheduleRequest[]) => Promise<Decided[]>,
): Promise<Decided[]> {
  const results = Array.from<Decided>({ length: requests.length }).fill(unmet);
  const lines = linesOf(requests);
  const decided = await decide(lines.map(([first]) => requests[first!]!));
  for (const [position, line] of lines.entries()) {
    const result = decided[position];
    results[line[0]!] = result;
    if (result === undefined) for (const index of line) results[index] = undefined;
    else answerBehind(requests, line, results);
  }
  return results;
}

/** The indexes of the requests in their order, one line for each key. A request without a key is a line. */
function linesOf(requests: readonly ScheduleRequest[]): number[][] {
  const lines: number[][] = [];
  const ofKeys = new Map<string, number[]>();
  for (const [index, { accountId, targetId, wantedKey }] of requests.entries()) {
    // Ids have no spaces.
    const name = wantedKey && `${accountId} ${targetId} ${wantedKey.key}`;
    const before = name === undefined ? undefined : ofKeys.get(name);
    if (before !== undefined) {
      before.push(index);
      continue;
    }
    const line = [index];
    lines.push(line);
    if (name !== undefined) ofKeys.set(name, line);
  }
  return lines;
}

/**
 * Answers the requests that come right behind the first one of the line, as long as their answers follow from
 * it. Returns how many of the line have an answer then.
 */
function answerBehind(
  requests: readonly ScheduleRequest[],
  line: readonly number[],
  results: Decided[],
): number {
  let answered = 1;
  for (; answered < line.length; answered++) {
    const answer = answerAfter(results[line[answered - 1]!], requests[line[answered]!]!);
    if (answer === undefined) break;
    results[line[answered]!] = answer;
  }
  return answered;
}

/**
 * What a request hears in the same instant as the one before it, if it changes nothing. Undefined: the database
 * has to decide.
 */
function answerAfter(
  before: Decided,
  { wantedKey, idempotency }: ScheduleRequest,
): ScheduleResult | undefined {
  // The database keeps the answer to a request that may be repeated.
  if (before === undefined || before === unmet || idempotency !== null) return undefined;
  if (before.kind === "no-target") return before;
  // It has changed nothing, and what would change the same holder is held as well.
  if (before.kind === "held" && before.messageId !== null && changesHolder(wantedKey))
    return before;
  const isHolder = before.kind === "scheduled" || before.kind === "kept";
  if (wantedKey?.onConflict === "keep" && isHolder) {
    return { kind: "kept", message: before.message, keyOutcome: "kept" };
  }
  if (wantedKey?.onConflict !== "reject") return undefined;
  if (before.kind === "key-taken") return before;
  return isHolder ? { kind: "key-taken", messageId: before.message.messageId } : undefined;
}
