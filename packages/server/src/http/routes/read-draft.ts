import type { Problem } from "../../domain/refusals.ts";
import type { BatchDraft } from "../../operations/messages/message-draft.ts";

/** The fields of a message that match the schema, and the problems of the others. */
export function readDraft(given: unknown, problems: readonly Problem[]): BatchDraft {
  const parts = (typeof given === "object" && given !== null ? given : {}) as Record<
    string,
    unknown
  >;
  const isSound = (name: string): boolean => !problems.some(({ field }) => field === name);
  const part = (name: string): string | undefined => {
    const value = parts[name];
    return typeof value === "string" && isSound(name) ? value : undefined;
  };
  const { delayMs } = parts;
  return {
    targetId: part("targetId"),
    deliveryTime: part("deliveryTime"),
    delayMs: typeof delayMs === "number" && isSound("delayMs") ? delayMs : undefined,
    payload: part("payload"),
    idempotencyKey: part("idempotencyKey"),
    problems,
  };
}

export function readIdempotencyKey(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): string | undefined {
  const key = headers["idempotency-key"];
  return Array.isArray(key) ? key.join(", ") : key;
}
