import type { Attempt } from "../../../domain/attempt.ts";
import { bitOf, eventTypes } from "../../../domain/events/event-types.ts";
import type { EventMask, MessageEventType } from "../../../domain/events/event-types.ts";
import { defaultFailingAfter } from "../../../domain/failing-after.ts";
import type { FailingAfter } from "../../../domain/failing-after.ts";
import type { EventFacts } from "../../../domain/events/event.ts";
import { messageEvent } from "../../../domain/events/message-events.ts";
import type { Instant } from "../../../domain/instant.ts";
import type { Row, Run } from "../connections/connections.ts";
import { attemptColumns, readAttempt } from "./attempt-rows.ts";
import { ownColumns, readMessage } from "./message-rows.ts";

/** A row of the outbox: what `outbox-rows.ts` has written. */
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
  ...["outbox_id", "types", "time", "facts", "target_key", "failing_after"],
  ...ownColumns,
  ...Object.keys(toldOfAttempt),
];

/** The rows with the lowest numbers that are committed. Targets stay in their table, also when they are removed. */
export async function takenFromOutbox(run: Run, limit: number): Promise<OutboxEntry[]> {
  const rows = await run({
    name: "read-outbox",
    text: `SELECT ${columns.map((column) => `o.${column}`).join(", ")}, t.target_id,
        coalesce(o.account_id, t.account_id) AS account_id
      FROM (
        SELECT account_id, ${columns.join(", ")} FROM event_outbox WHERE outbox_id > 0
        ORDER BY outbox_id LIMIT $1) AS o
      LEFT JOIN targets t ON t.target_key = o.target_key
      ORDER BY o.outbox_id`,
    values: [limit],
  });
  return rows.map(entryOf);
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
