import type { Run } from "../connections/connections.ts";
import { arrayLiteral } from "../rows/array-literal.ts";
import { arraysOf, unnest } from "../rows/given-columns.ts";
import type { GivenColumns } from "../rows/given-columns.ts";
import { withOptions } from "../rows/message-candidate.ts";
import type { KeptMessage, MessageCandidate } from "../rows/message-candidate.ts";
import { insertMessages, optionsText } from "../rows/message-rows.ts";
import { insertOptionRows } from "../rows/option-rows.ts";
import { tellAdmitted } from "../rows/outbox-rows.ts";

interface Kept extends KeptMessage {
  readonly candidate: MessageCandidate;
}

const given: GivenColumns<Kept> = {
  message_id: { type: "uuid", of: ({ candidate }) => candidate.uuid },
  target_key: { type: "int", of: ({ targetKey }) => targetKey },
  delivery_time: { type: "bigint", of: ({ message }) => message.originalDeliveryTime },
  payload: { type: "bytea", of: ({ candidate }) => Buffer.from(candidate.request.payload) },
  due_time: { type: "bigint", of: ({ message }) => message.nextDeliveryTime },
  options: { type: "text", of: ({ message }) => optionsText(message.options) },
};

const message = {
  messageId: "i.message_id",
  targetKey: "i.target_key",
  schedulingTime: "$2::bigint",
  deliveryTime: "i.delivery_time",
  rest: { dueTime: "i.due_time", options: "i.options" },
};
const rows = unnest(given, "i", 4);

const insertStatement = `
  WITH told AS (${tellAdmitted(message, rows, "$3::int[]")})
  ${insertMessages({ ...message, accountId: "$1", payload: "i.payload" })} FROM ${rows}`;

/** Stores messages of one account that are counted already, with the rows that they are found by. */
export async function insertAdmitted(
  run: Run,
  kept: ReadonlyMap<MessageCandidate, KeptMessage>,
  { accountId, now }: { readonly accountId: string; readonly now: number },
): Promise<void> {
  if (kept.size === 0) return;
  const items = [...kept].map(([candidate, each]) => ({ ...each, candidate }));
  const targetKeys = arrayLiteral([...new Set(items.map(({ targetKey }) => targetKey))]);
  await run({
    name: "insert-messages",
    text: insertStatement,
    values: [accountId, now, targetKeys, ...arraysOf(given, items)],
  });
  await insertOptionRows(run, withOptions(kept));
}
