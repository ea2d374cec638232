import { codes } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import { batchItemKey, idempotencyKeyProblem, singleKey } from "./idempotency.ts";
import type { BatchDraft } from "./message-draft.ts";

type KeyOf = (draft: BatchDraft, position: number) => string | undefined;

/** The key that a store knows each message by, or the problem of the batch as a whole. */
export function keysOfBatch(
  drafts: readonly BatchDraft[],
  batchKey: string | undefined,
): KeyOf | Problem {
  if (batchKey === undefined) {
    return ({ idempotencyKey }) =>
      idempotencyKey === undefined ? undefined : singleKey(idempotencyKey);
  }
  const both = drafts.findIndex(givesKey);
  if (both !== -1) return twoKeys(both);
  return (
    idempotencyKeyProblem(batchKey) ?? ((_draft, position) => batchItemKey(batchKey, position))
  );
}

/** Also if the key is not valid. */
function givesKey({ idempotencyKey, problems }: BatchDraft): boolean {
  return idempotencyKey !== undefined || problems.some(({ field }) => field === "idempotencyKey");
}

function twoKeys(position: number): Problem {
  return {
    code: codes.invalidRequest,
    message: `messages[${position}] has an idempotencyKey, and the request has the header Idempotency-Key. Leave out the header, or the keys of the messages.`,
    field: "Idempotency-Key",
  };
}
