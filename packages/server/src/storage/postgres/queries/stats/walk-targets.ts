import type { Instant } from "../../../../domain/message.ts";
import type { WalkRequest } from "../../../store.ts";
import type { Row } from "../../connections/connections.ts";
import { behindEveryKey } from "../../rows/message-rows.ts";

/** The last message that was met, by its target and its place in the target's list. */
export type Reached = readonly [targetId: string, time: Instant, key: string];

/** How many targets one statement looks through, however few messages they have. */
const targetsAtATime = 1_000;

/**
 * The next targets of the account ($1) in the order of their ids, from one ($2) to another ($3). Includes removed
 * targets: their dead letters stay on record until they expire.
 */
export const lookedTargets = `looked AS MATERIALIZED (
  SELECT target_key, target_id FROM targets
  WHERE account_id = $1 AND target_id >= $2 AND target_id <= $3
  ORDER BY target_id LIMIT ${targetsAtATime})`;

/** Sorts behind every id of a target. */
const behindEveryTarget = "\u{10ffff}";

/** The values of $2 and $3. */
export function spanOf({ targetId }: WalkRequest, [from]: Reached): [from: string, to: string] {
  return [from || (targetId ?? ""), targetId ?? behindEveryTarget];
}

/** For lists that begin with the earliest message. */
export const behindTarget = [Number.MAX_SAFE_INTEGER, behindEveryKey] as const;

/** Where a walk goes on that has met all messages of the targets that it looked at. Null: it is at its end. */
export function nextPlace(
  { looked, last_target: lastTarget }: Row,
  [time, key]: readonly [Instant, string],
): Reached | null {
  return looked < targetsAtATime ? null : [lastTarget as string, time, key];
}
