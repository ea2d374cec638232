import { forgottenUpTo } from "../../../domain/attempt.ts";
import type { EventMask } from "../../../domain/events/event-types.ts";
import { typesOf } from "../../../domain/events/message-events.ts";
import type { TrackedMessage } from "../../../domain/message.ts";
import { attempted } from "../../../domain/transitions.ts";
import type { RecordResult } from "../../store.ts";
import { attemptColumns } from "../rows/attempt-rows.ts";
import type { KeptAttempt } from "../rows/attempt-rows.ts";
import type { Context, WorkContext } from "./context.ts";
import type { HeldMessage, HeldResult } from "../claims/held-messages.ts";
import { arrayLiteral } from "../rows/array-literal.ts";
import { arraysOf, namesOf, unnest } from "../rows/given-columns.ts";
import type { GivenColumns } from "../rows/given-columns.ts";
import { endReasonNumber, rowKeyOf, stateNumber } from "../rows/message-rows.ts";
import { bitsOf, renamedOwnColumns, tellAttempts } from "../rows/outbox-rows.ts";
import { recordedAttempts } from "./recorded-attempts.ts";
import { recordWithWaitingChanges } from "./record-with-waiting-changes.ts";

interface Outcome extends HeldResult, KeptAttempt {
  readonly targetKey: number;
  /** The message after the attempt, with every instant relative to the commit. */
  readonly message: TrackedMessage;
  /** What the attempt makes, whether or not anybody is told. */
  readonly eventTypes: EventMask;
}

/**
 * Writes most outcomes in one statement. This process knows the message as it was when claimed. The
 * statement writes only if the claim still stands and the message has the claimed version: while a
 * claim stands, no other claim of that message has the same version. A claim with waiting changes
 * takes the longer way. The statement deletes the claim, and a change that begins to wait marks it.
 * Both lock the claim's row, so no waiting change is missed. An attempt that makes others leave the
 * record takes the longer way too: this statement stays cheap for all others.
 */
export function recordAttempts(context: WorkContext) {
  const record = recordWithoutWaitingChanges(context);
  const recordTheRest = recordEach(context);
  return async (results: readonly HeldResult[]): Promise<RecordResult[]> => {
    const { held } = context;
    // A late result may find that its message was claimed again. It does not apply to that claim.
    const own = results.map(({ holder, result }) => {
      const found = held.find(holder, result.messageId);
      return found?.message.version === result.version ? found : undefined;
    });
    const seen = new Set<string>();
    const known = results.map((each, index) => {
      // The longer way refuses a second result for the same claim in the same batch.
      const first = !seen.has(each.result.messageId);
      seen.add(each.result.messageId);
      return first ? outcomeOf(context, each, own[index]) : undefined;
    });
    const recorded = await record(
      known
        .filter((outcome) => outcome !== undefined)
        .filter((outcome) => forgetsNothing(outcome) && !dependsOnTime(outcome)),
    );
    const rest = results.flatMap((each, index) =>
      recorded.has(known[index]) ? [] : [{ ...each, isKnown: known[index] !== undefined }],
    );
    const others = rest.length > 0 ? await recordTheRest(rest) : [];
    for (const [index, { holder }] of results.entries()) {
      if (own[index] !== undefined) held.drop(holder, own[index]);
    }
    return known.map((outcome): RecordResult => {
      const message = recorded.get(outcome);
      return message === undefined ? others.shift()! : { kind: "recorded", message };
    });
  };
}

function forgetsNothing({ attempt }: Outcome): boolean {
  return forgottenUpTo(attempt.number) === undefined;
}

interface LeftResult extends HeldResult {
  /** Whether this process still knows the claim. */
  readonly isKnown: boolean;
}

/**
 * The longer way. If this process knows the claim but the claim no longer stands, an earlier try
 * may have ended it and lost its answer. Then the attempt is on record.
 */
function recordEach(context: WorkContext) {
  const record = recordWithWaitingChanges(context);
  const findRecorded = recordedAttempts(context);
  return async (results: readonly LeftResult[]): Promise<RecordResult[]> => {
    const answers = await record(results);
    const isDoubtful = ({ isKnown }: LeftResult, index: number): boolean =>
      isKnown && answers[index]!.kind === "stale";
    const earlier = await findRecorded(results.filter(isDoubtful).map(({ result }) => result));
    return results.map((each, index): RecordResult => {
      const message = isDoubtful(each, index) ? earlier.get(each.result.messageId) : undefined;
      return message === undefined ? answers[index]! : { kind: "recorded", message };
    });
  };
}

/** Only the commit's own time says whether a retry still comes before the message's `notAfter`. */
function dependsOnTime({ message }: Outcome): boolean {
  return message.state === "SCHEDULED" && message.options?.notAfter !== undefined;
}

function outcomeOf(
  { retentionMs }: Context,
  each: HeldResult,
  own: HeldMessage | undefined,
): Outcome | undefined {
  if (own === undefined) return undefined;
  const { result } = each;
  const { next } = result;
  const end = { startTime: result.attempt.startTime, next };
  const message = attempted(own.message, end, 0, retentionMs);
  const key = rowKeyOf(result.messageId);
  if (message === undefined || key === undefined) return undefined;
  const { attempt } = result;
  const eventTypes = bitsOf(typesOf({ before: own.message, after: message, attempt }));
  return { ...each, key, attempt, targetKey: own.targetKey, message, eventTypes };
}

const given: GivenColumns<Outcome> = {
  ...attemptColumns,
  target_key: { type: "int", of: ({ targetKey }) => targetKey },
  epoch: { type: "bigint", of: ({ holder }) => holder.epoch },
  version: { type: "int", of: ({ result }) => result.version },
  state: { type: "smallint", of: ({ message }) => stateNumber(message.state) },
  next_in: { type: "bigint", of: ({ message }) => message.nextDeliveryTime },
  dead_in: { type: "bigint", of: ({ message }) => message.deadLetterTime },
  expires_in: { type: "bigint", of: ({ message }) => message.expirationTime },
  planned_in: { type: "bigint", of: ({ result }) => (result.next.kind === "retry" ? 0 : null) },
  failures: { type: "int", of: ({ message }) => message.deliveryFailureCount },
  attempt_count: { type: "int", of: ({ message }) => message.attemptCount },
  attempts_this_round: { type: "int", of: ({ message }) => message.attemptsThisRound },
  event_types: { type: "int", of: ({ eventTypes }) => eventTypes },
};

/** Only for outcomes after which something rare is to be written or removed. */
const rare: GivenColumns<Outcome> = {
  ...given,
  end_reason: { type: "smallint", of: ({ message }) => endReasonNumber(message.endReason) },
  not_after: { type: "bigint", of: ({ message }) => message.options?.notAfter },
  freed_key: { type: "text", of: ({ message }) => freedKey(message) },
};

function isRare({ message }: Outcome): boolean {
  return (
    message.endReason !== null ||
    message.options?.notAfter !== undefined ||
    freedKey(message) !== null
  );
}

function freedKey({ state, options }: TrackedMessage): string | null {
  return state === "SCHEDULED" ? null : (options?.key ?? null);
}

const recordStatement = (
  columns: GivenColumns<Outcome>,
  { set = "", returned = "", parts = "" } = {},
): string => `
  WITH given AS (
    SELECT * FROM ${unnest(columns, "u", 2)}
  ), clock AS MATERIALIZED (
    SELECT now_ms() AS now
  ), ended AS (
    DELETE FROM claims c USING given g
    WHERE c.target_key = g.target_key AND c.message_id = g.message_id
      AND c.epoch = g.epoch AND NOT c.awaited
      -- A late statement finds another version, and leaves the claim alone.
      AND EXISTS (SELECT 1 FROM messages m
        WHERE m.message_id = g.message_id AND m.version = g.version)
    RETURNING g.*
  ), changed AS (
    UPDATE messages m SET state = e.state, version = e.version + 1,
      next_delivery_time = clock.now + e.next_in, last_delivery_time = e.start_time,
      dead_letter_time = clock.now + e.dead_in,
      expiration_time = clock.now + e.expires_in,
      planning_time = coalesce(clock.now + e.planned_in, m.planning_time),
      delivery_failure_count = e.failures, attempt_count = e.attempt_count,
      attempts_this_round = e.attempts_this_round${set}
    FROM ended e CROSS JOIN clock
    WHERE m.message_id = e.message_id AND m.version = e.version
    RETURNING e.*, clock.now, ${renamedOwnColumns}${returned}
  ), kept AS (
    INSERT INTO attempts (${namesOf(attemptColumns)}) SELECT ${namesOf(attemptColumns)} FROM changed
  ), told AS (${tellAttempts("changed", "$1::int[]")}
  )${parts}
  SELECT message_id, now FROM changed`;

const plainStatement = { name: "record-attempts", text: recordStatement(given) };

const rareStatement = {
  name: "record-rare-attempts",
  text: recordStatement(rare, {
    set: ", end_reason = e.end_reason",
    returned: ", m.account_id",
    // Only messages that have ended: see `dependsOnTime`.
    parts: `, unbound AS (
      DELETE FROM message_bounds b USING changed c
      WHERE b.not_after = c.not_after AND b.message_id = c.message_id
    ), unkeyed AS (
      DELETE FROM message_keys k USING changed c
      WHERE k.target_key = c.target_key AND k.key = c.freed_key AND k.message_id = c.message_id
    ), labelled AS (
      INSERT INTO message_labels (account_id, label, message_id)
      SELECT account_id, ':' || freed_key, message_id FROM changed WHERE freed_key IS NOT NULL
      ON CONFLICT DO NOTHING)`,
  }),
};

function recordWithoutWaitingChanges({ connections }: WorkContext) {
  return async (
    outcomes: readonly Outcome[],
  ): Promise<Map<Outcome | undefined, TrackedMessage>> => {
    const recorded = new Map<Outcome | undefined, TrackedMessage>();
    if (outcomes.length === 0) return recorded;
    const anyRare = outcomes.some(isRare);
    const rows = await connections.query({
      ...(anyRare ? rareStatement : plainStatement),
      values: [
        arrayLiteral([...new Set(outcomes.map(({ targetKey }) => targetKey))]),
        ...arraysOf(anyRare ? rare : given, outcomes),
      ],
    });
    const nowByKey = new Map(
      rows.map((row) => [row["message_id"] as string, row["now"] as number]),
    );
    for (const outcome of outcomes) {
      const now = nowByKey.get(outcome.key);
      if (now !== undefined) recorded.set(outcome, countedFrom(now, outcome));
    }
    return recorded;
  };
}

function countedFrom(now: number, { message, result }: Outcome): TrackedMessage {
  const after = (delayMs: number | null): number | null =>
    delayMs === null ? null : now + delayMs;
  return {
    ...message,
    nextDeliveryTime: after(message.nextDeliveryTime),
    deadLetterTime: after(message.deadLetterTime),
    expirationTime: after(message.expirationTime),
    planningTime: result.next.kind === "retry" ? now : message.planningTime,
  };
}
