import type { KeyOutcome } from "../../domain/message-key.ts";
import type { Problem } from "../../domain/refusals.ts";
import type { BatchItem } from "../../operations/messages/schedule-batch.ts";
import { wireMessage, writeMessage } from "./wire-messages.ts";
import type { WireMessage } from "./wire-messages.ts";

interface WireBatch {
  results: WireItem[];
}

interface WireItem {
  message?: WireMessage;
  errors?: Problem[];
  replayed?: true;
  keyOutcome?: KeyOutcome;
}

/** `namedOf` bounds how many problems the answer lists. */
export function wireBatch(
  items: readonly BatchItem[],
  namedOf: (problems: readonly Problem[]) => readonly Problem[],
): WireBatch {
  return { results: items.map((item) => wireItem(item, namedOf)) };
}

function wireItem(
  item: BatchItem,
  namedOf: (problems: readonly Problem[]) => readonly Problem[],
): WireItem {
  if ("errors" in item) return { errors: namedOf(item.errors).map((problem) => ({ ...problem })) };
  const wire: WireItem = { message: wireMessage(item.message) };
  if (item.replayed !== undefined) wire.replayed = item.replayed;
  if (item.keyOutcome !== undefined) wire.keyOutcome = item.keyOutcome;
  return wire;
}

/** Writes the answer to a batch as JSON, for the same reason as `writeMessage`. */
export function writeBatch({ results }: WireBatch): string {
  let text = `{"results":[`;
  for (let index = 0; index < results.length; index++) {
    if (index > 0) text += ",";
    text += writeItem(results[index]!);
  }
  return `${text}]}`;
}

function writeItem({ message, errors, replayed, keyOutcome }: WireItem): string {
  if (message === undefined) return JSON.stringify({ errors });
  const outcome = keyOutcome === undefined ? "" : `,"keyOutcome":"${keyOutcome}"`;
  return `{"message":${writeMessage(message)}${replayed ? `,"replayed":true` : ""}${outcome}}`;
}
