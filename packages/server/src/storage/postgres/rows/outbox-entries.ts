import type { Attempt } from "../../../domain/attempt.ts";
import { bitOf, eventTypes } from "../../../domain/events/event-types.ts";
import type { EventMask, MessageEventType } from "../../../domain/events/event-types.ts";
import { defaultFailingAfter } from "../../../domain/failing-after.ts";
import type { FailingAfter } from "../../../domain/failing-after.ts";
import type { EventFacts } from "../../../domain/events/event.ts";
import { messageEvent } from "../../../domain/events/message-events.ts";
import type { Instant } from "../../../domain/instant.ts";
import type { Row, Run } from "../connections/connections.ts";
import type { MessageOptions } from "../../../domain/message-options.ts";
import { scheduled } from "../../../domain/transitions.ts";
import { arrayLiteral } from "./array-literal.ts";
import { attemptColumns, readAttempt } from "./attempt-rows.ts";
import { messageIdOf, ownColumns, readMessage } from "./message-rows.ts";
import type { ToldMessage } from "./outbox-rows.ts";

/** A change that a row of the outbox tells: what `outbox-rows.ts` has written. Several may be in one row. */
export interface OutboxEntry {
  readonly outboxId: number;
  readonly accountId: string;
  /** In their order. */
  readonly events: readonly EventFacts[];
  /** Null: of an event that is not about one target's messages. */
  readonly targetKey: number | null;
  readonly types: EventMask;
  readonly time: Instant;
  /** The attempt that made the change. */
  readonly attempt: Attempt | null;
  /** When the target counted as failing then. */
  readonly failingAfter: FailingAfter;
  /** Nothing has happened, but the health of the target is to be forgotten. */
  readonly forgetsHealth: boolean;
}

const messageTypes = eventTypes.filter((type): type is MessageEventType =>
  type.startsWith("message."),
);

const { message_id: _, response: __, ...toldOfAttempt } = attemptColumns;
const columns = [
  ...["outbox_id", "types", "time", "facts", "new_messages", "target_key", "failing_after"],
  ...ownColumns,
  ...Object.keys(toldOfAttempt),
];

/**
 * What the rows with the lowest numbers that are committed tell, up to so many changes. One row is taken whole. Targets stay
 * in their table, also when they are removed.
 */
export async function takenFromOutbox(run: Run, limit: number): Promise<OutboxEntry[]> {
  const rows = await run({
    name: "read-outbox",
    text: `SELECT ${columns.map((column) => `o.${column}`).join(", ")}, t.target_id,
        coalesce(o.account_id, t.account_id) AS account_id
      FROM (
        SELECT account_id, ${columns.join(", ")},
          sum(message_count) OVER (ORDER BY outbox_id) - message_count AS before
        FROM (
          SELECT account_id, message_count, ${columns.join(", ")} FROM event_outbox
          WHERE outbox_id > 0 ORDER BY outbox_id LIMIT $1) AS first
      ) AS o
      LEFT JOIN targets t ON t.target_key = o.target_key
      WHERE o.before < $1
      ORDER BY o.outbox_id`,
    values: [limit],
  });
  const targets = await targetsOf(run, rows);
  return rows.flatMap((row) => (isOfNew(row) ? newEntriesOf(row, targets) : [entryOf(row)]));
}

interface NamedTarget {
  readonly accountId: string;
  readonly targetId: string;
}

/** The targets of new messages. */
async function targetsOf(
  run: Run,
  rows: readonly Row[],
): Promise<ReadonlyMap<number, NamedTarget>> {
  const keys = new Set(
    rows.filter(isOfNew).flatMap((row) => toldMessages(row).map(([key]) => key)),
  );
  if (keys.size === 0) return new Map();
  const found = await run({
    name: "name-told-targets",
    text: `SELECT target_key, account_id, target_id FROM targets
      WHERE target_key = ANY ($1::int[])`,
    values: [arrayLiteral([...keys])],
  });
  return new Map(
    found.map((row) => [
      row["target_key"] as number,
      { accountId: row["account_id"], targetId: row["target_id"] },
    ]),
  );
}

function isOfNew(row: Row): boolean {
  return row["new_messages"] !== null;
}

function toldMessages(row: Row): readonly ToldMessage[] {
  return row["new_messages"] as readonly ToldMessage[];
}

function newEntriesOf(row: Row, targets: ReadonlyMap<number, NamedTarget>): OutboxEntry[] {
  const { types, time, outbox_id: outboxId } = row as Readonly<Record<string, number>>;
  return toldMessages(row).map(([targetKey, uuid, deliveryTime, dueTime, optionsText]) => {
    const { accountId, targetId } = targets.get(targetKey)!;
    const options = optionsText == null ? null : (JSON.parse(optionsText) as MessageOptions);
    const made = scheduled(
      { messageId: messageIdOf(uuid), targetId, deliveryTime, options },
      time!,
    );
    // As the commit has it.
    const after = dueTime === undefined ? made : { ...made, options, nextDeliveryTime: dueTime };
    const step = { before: null, after, attempt: null };
    return {
      ...{ outboxId: outboxId!, accountId, targetKey, types: types!, time: time! },
      events: [messageEvent("message.scheduled", step, time!)],
      attempt: null,
      failingAfter: defaultFailingAfter,
      forgetsHealth: false,
    };
  });
}

function entryOf(row: Row): OutboxEntry {
  const { types, time, facts, failing_after: failing } = row;
  const isMessage = row["message_id"] !== null;
  const attempt = row["number"] === null ? null : readAttempt(row);
  return {
    ...{ types, time, attempt },
    failingAfter: failing === null ? defaultFailingAfter : (JSON.parse(failing) as FailingAfter),
    outboxId: row["outbox_id"],
    accountId: row["account_id"],
    targetKey: row["target_key"],
    events: isMessage
      ? eventsOfMessage(row, attempt)
      : facts === null
        ? []
        : [JSON.parse(facts) as EventFacts],
    forgetsHealth: !isMessage && facts === null,
  };
}

function eventsOfMessage(row: Row, attempt: Attempt | null): EventFacts[] {
  const mask = row["types"] as EventMask;
  const after = readMessage(row);
  return messageTypes
    .filter((type) => (bitOf(type) & mask) !== 0)
    .map((type) => messageEvent(type, { before: null, after, attempt }, row["time"]));
}
