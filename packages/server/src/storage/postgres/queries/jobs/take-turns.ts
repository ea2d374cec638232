import { isMatched } from "../../../../domain/job-filter.ts";
import type { EventMask } from "../../../../domain/events/event-types.ts";
import { decideByJob } from "../../../../domain/job-steps.ts";
import type { Job } from "../../../../domain/job.ts";
import type { Instant, TrackedMessage } from "../../../../domain/message.ts";
import type { Row, Run } from "../../connections/connections.ts";
import { changeColumns, readMessage } from "../../rows/message-rows.ts";
import { keyHeldBy, takeMessageKeys } from "../../rows/option-rows.ts";
import type { ChangedMessage, HeldKey } from "../../rows/option-rows.ts";
import { writeMessages } from "../../rows/write-messages.ts";

/** A message whose turn has come, as it was before it was locked. If it is gone, it has no target. */
export interface Candidate {
  /** The key of its row. */
  readonly key: string;
  readonly targetKey: number | null;
  readonly targetId: string | null;
}

export type Turn =
  | { readonly kind: "done"; readonly change: ChangedMessage }
  /** The change is not possible. */
  | { readonly kind: "impossible" }
  /** Since the candidate was found, it has become a message that the job does not change. */
  | { readonly kind: "unmatched" }
  /** An attempt is in flight, or somebody has locked the message. */
  | { readonly kind: "in-flight" };

export interface TurnTime {
  readonly now: Instant;
  readonly retentionMs: number;
}

/**
 * Locks the messages that nobody has locked, and waits for none: whoever records, cancels or replaces messages
 * locks them in any order, and waits for this job in a circle otherwise. Targets come before messages, and
 * message keys behind them.
 */
export async function takeTurns(
  run: Run,
  job: Job,
  candidates: readonly Candidate[],
  { now, retentionMs }: TurnTime,
): Promise<ReadonlyMap<Candidate, Turn>> {
  if (candidates.length === 0) return new Map();
  if (job.action === "redrive") await holdTargets(run, candidates);
  const locked = await lockMessages(run, candidates);
  const states = await circumstances(run, [...locked.values()], job.filter.lastStatusCode !== null);
  const turns = new Map(candidates.map((each) => [each, turnOf(each)]));
  await takeKeysBack(run, turns);
  await writeMessages(
    run,
    [...turns.values()].flatMap((turn) => (turn.kind === "done" ? [turn.change] : [])),
  );
  return turns;

  function turnOf({ key, targetKey }: Candidate): Turn {
    if (targetKey === null) return { kind: "unmatched" };
    const row = locked.get(key);
    if (row === undefined) return { kind: "in-flight" };
    const { isClaimed, lastStatusCode } = states.get(key)!;
    const before = readMessage(row);
    const isOver = before.expirationTime !== null && before.expirationTime <= now;
    const matches = isMatched(job, job.creationTime, before, () => lastStatusCode);
    if (isOver || !matches) return { kind: "unmatched" };
    if (isClaimed) return { kind: "in-flight" };
    const decision = decideByJob(job, before, now, retentionMs);
    if (decision.kind !== "changed") return { kind: "impossible" };
    const after = decision.message;
    const needsTarget = after.state === "SCHEDULED" && before.state !== "SCHEDULED";
    if (needsTarget && row["removal_time"] !== null) return { kind: "impossible" };
    const eventMask = row["event_mask"] as EventMask;
    return { kind: "done", change: { targetKey, eventMask, now, before, after } };
  }
}

/**
 * Against their removal, because their dead letters become scheduled again. In the order in which the removal
 * of an account locks them.
 */
async function holdTargets(run: Run, candidates: readonly Candidate[]): Promise<void> {
  const targets = new Map<string, number>();
  for (const { targetId, targetKey } of candidates) {
    if (targetKey !== null) targets.set(targetId!, targetKey);
  }
  const ordered = [...targets].toSorted(([a], [b]) => (a < b ? -1 : 1));
  await run({
    name: "hold-targets-of-job",
    text: `SELECT t.target_key FROM unnest($1::int[]) AS u(target_key)
      CROSS JOIN LATERAL (
        SELECT target_key FROM targets WHERE targets.target_key = u.target_key FOR KEY SHARE) AS t`,
    values: [ordered.map(([, targetKey]) => targetKey)],
  });
}

/** By their keys. One is missing if it is locked or gone. */
async function lockMessages(
  run: Run,
  candidates: readonly Candidate[],
): Promise<ReadonlyMap<string, Row>> {
  const rows = await run({
    name: "lock-messages-of-job",
    text: `SELECT ${changeColumns()}, t.removal_time FROM unnest($1::uuid[]) AS u(message_id)
      JOIN messages m ON m.message_id = u.message_id
      JOIN targets t ON t.target_key = m.target_key
      FOR UPDATE OF m SKIP LOCKED`,
    values: [candidates.map(({ key }) => key)],
  });
  return new Map(rows.map((row) => [row["message_id"] as string, row]));
}

interface Circumstances {
  readonly isClaimed: boolean;
  readonly lastStatusCode: number | null;
}

/** A separate statement sees what was committed before the messages were locked. */
async function circumstances(
  run: Run,
  locked: readonly Row[],
  withStatus: boolean,
): Promise<ReadonlyMap<string, Circumstances>> {
  if (locked.length === 0) return new Map();
  const rows = await run({
    name: "see-claims-of-job",
    text: `SELECT u.message_id, c.is_claimed, CASE WHEN $4::boolean THEN (
        SELECT a.status_code FROM attempts a
        WHERE a.message_id = u.message_id AND a.number = u.attempt_count) END AS last_status_code
      FROM unnest($1::int[], $2::uuid[], $3::int[]) AS u(target_key, message_id, attempt_count)
      LEFT JOIN LATERAL (
        SELECT true AS is_claimed FROM claims
        WHERE claims.target_key = u.target_key AND claims.message_id = u.message_id LIMIT 1) AS c ON true`,
    values: [
      locked.map((row) => row["target_key"]),
      locked.map((row) => row["message_id"]),
      locked.map((row) => row["attempt_count"]),
      withStatus,
    ],
  });
  return new Map(
    rows.map((row) => [
      row["message_id"] as string,
      { isClaimed: row["is_claimed"] !== null, lastStatusCode: row["last_status_code"] },
    ]),
  );
}

/** Messages that are scheduled again need their keys. If another has the key, the change is impossible. */
async function takeKeysBack(run: Run, turns: Map<Candidate, Turn>): Promise<void> {
  const wanted = new Map<string, HeldKey>();
  const wanting: Candidate[] = [];
  for (const [candidate, turn] of turns) {
    if (turn.kind !== "done") continue;
    const key = keyNeededAgain(turn.change);
    if (key === undefined) continue;
    const { targetKey } = turn.change;
    const name = `${targetKey} ${key}`;
    wanting.push(candidate);
    if (!wanted.has(name)) wanted.set(name, { targetKey, key, messageKey: candidate.key });
  }
  const taken = await takeMessageKeys(run, [...wanted.values()]);
  for (const candidate of wanting) {
    if (!taken.has(candidate.key)) turns.set(candidate, { kind: "impossible" });
  }
}

function keyNeededAgain({
  before,
  after,
}: {
  readonly before: TrackedMessage;
  readonly after: TrackedMessage;
}): string | undefined {
  const key = keyHeldBy(after);
  return keyHeldBy(before) === key ? undefined : key;
}
