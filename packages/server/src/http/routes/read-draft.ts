import type { Problem } from "../../domain/refusals.ts";
import { optionNames } from "../../operations/messages/given-options.ts";
import type { GivenOptions } from "../../operations/messages/given-options.ts";
import type { BatchDraft } from "../../operations/messages/message-draft.ts";

/** The fields of a message that match the schema, and the problems of the others. */
export function readDraft(
  given: unknown,
  problems: readonly Problem[],
  traceParent: string | null,
): BatchDraft {
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
    options: optionsIn(parts, problems),
    idempotencyKey: part("idempotencyKey"),
    traceParent,
    problems,
  };
}

/** The options that match the schema; undefined if none is given. */
function optionsIn(
  parts: Readonly<Record<string, unknown>>,
  problems: readonly Problem[],
): GivenOptions | undefined {
  let found: Record<string, unknown> | undefined;
  for (const name of optionNames) {
    if (parts[name] === undefined) continue;
    const isFaulty = problems.some(({ field }) => field?.split(/[.[]/, 1)[0] === name);
    if (!isFaulty) (found ??= {})[name] = parts[name];
  }
  return found;
}

export function readIdempotencyKey(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): string | undefined {
  const key = headers["idempotency-key"];
  return Array.isArray(key) ? key.join(", ") : key;
}
