import type { MessageOptions } from "../domain/message-options.ts";
import type { ScheduleRequest } from "./message-store.ts";

/** So many characters weigh as much as a message without any. */
const charactersOfWeight = 768;

/** A label is a row of an index, which costs about as much as these. Measured on SQLite. */
const charactersOfLabel = charactersOfWeight / 2;
/** A key is looked up besides. */
const charactersOfKey = charactersOfWeight;

/** How many messages without a payload and options cost about as much to store. */
export function messageWeight({
  payload,
  options,
}: Pick<ScheduleRequest, "payload" | "options">): number {
  const characters = payload.length + (options === null ? 0 : charactersOf(options));
  return 1 + Math.trunc(characters / charactersOfWeight);
}

/** Of what may be long. */
function charactersOf(options: MessageOptions): number {
  const { key, labels, headers, retryPolicy, contentType = "" } = options;
  let characters = contentType.length;
  if (retryPolicy !== undefined) characters += JSON.stringify(retryPolicy).length;
  if (key !== undefined) characters += charactersOfKey + key.length;
  for (const name in labels) {
    characters += charactersOfLabel + name.length + labels[name]!.length;
  }
  if (headers === undefined) return characters;
  return headers.names.reduce((sum, name) => sum + name.length, characters + headers.sealed.length);
}
