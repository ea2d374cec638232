import type { Run } from "../connections/connections.ts";
import { arraysOf, unnest } from "../rows/given-columns.ts";
import type { GivenColumns } from "../rows/given-columns.ts";
import { withOptions } from "../rows/message-candidate.ts";
import type { KeptMessage, MessageCandidate } from "../rows/message-candidate.ts";
import { insertMessages, optionsText } from "../rows/message-rows.ts";
import { insertOptionRows } from "../rows/option-rows.ts";

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

const insertStatement = `${insertMessages({
  messageId: "i.message_id",
  accountId: "$1",
  targetKey: "i.target_key",
  schedulingTime: "$2::bigint",
  deliveryTime: "i.delivery_time",
  payload: "i.payload",
  rest: { dueTime: "i.due_time", options: "i.options" },
})} FROM ${unnest(given, "i", 3)}`;

/** Stores messages of one account that are counted already, with the rows that they are found by. */
export async function insertAdmitted(
  run: Run,
  kept: ReadonlyMap<MessageCandidate, KeptMessage>,
  { accountId, now }: { readonly accountId: string; readonly now: number },
): Promise<void> {
  if (kept.size === 0) return;
  const rows = [...kept].map(([candidate, message]) => ({ ...message, candidate }));
  await run({
    name: "insert-messages",
    text: insertStatement,
    values: [accountId, now, ...arraysOf(given, rows)],
  });
  await insertOptionRows(run, withOptions(kept));
}
