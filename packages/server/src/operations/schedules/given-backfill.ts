import type { Instant } from "../../domain/message.ts";
import { codes } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import { horizonMs } from "../../domain/schedules/occurrences/occurrences.ts";
import type { BackfillSpan } from "../../domain/schedules/steps/backfilled.ts";
import { readGivenTime } from "../messages/given-time.ts";

/** A backfill as a caller gives it, up to now without `to`. Fields that failed their schema are left out. */
export interface GivenBackfill {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly ratePerSecond?: number | undefined;
  readonly note?: string | undefined;
  /** Of a count. */
  readonly pageToken?: string | undefined;
}

/** Adds to `problems` what does not fit together. Undefined: there are problems. */
export function readBackfillSpan(
  given: GivenBackfill,
  now: Instant,
  problems: Problem[],
): BackfillSpan | undefined {
  const from = readGivenTime(given.from, "from", problems);
  const until = readGivenTime(given.to, "to", problems) ?? now;
  if (until > now) problems.push(toInTheFuture);
  if (from !== undefined && from < now - horizonMs) problems.push(fromTooEarly);
  if (from !== undefined && from > until) problems.push(turnedRound);
  return problems.length > 0 || from === undefined ? undefined : { from, until };
}

const toInTheFuture: Problem = {
  code: codes.invalidRequest,
  message:
    "to must not be in the future: runs to come are made by time. Leave it out to mean now, or give an earlier time.",
  field: "to",
};

const fromTooEarly: Problem = {
  code: codes.invalidRequest,
  message: "from must be at most fifty years ago.",
  field: "from",
};

const turnedRound: Problem = {
  code: codes.invalidRequest,
  message: "from must not be later than to, nor in the future.",
  field: "from",
};
