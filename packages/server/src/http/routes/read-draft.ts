import type { Problem } from "../../domain/refusals.ts";
import type { MessageDraft } from "../../operations/messages/message-draft.ts";

/** The fields of a message that match the schema, and the problems of the others. */
export function readDraft(given: unknown, problems: readonly Problem[]): MessageDraft {
  const parts = (typeof given === "object" && given !== null ? given : {}) as Record<
    string,
    unknown
  >;
  const part = (name: string): string | undefined => {
    const value = parts[name];
    const sound = typeof value === "string" && !problems.some(({ field }) => field === name);
    return sound ? value : undefined;
  };
  return {
    targetId: part("targetId"),
    deliveryTime: part("deliveryTime"),
    payload: part("payload"),
    problems,
  };
}

export function readIdempotencyKey(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): string | undefined {
  const key = headers["idempotency-key"];
  return Array.isArray(key) ? key.join(", ") : key;
}
