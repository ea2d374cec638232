import { codes } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import type { ScheduleRequest } from "../../storage/store.ts";
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

/** A message whose key an earlier message of the same batch has. */
export interface Twin {
  readonly request: ScheduleRequest;
  readonly position: number;
  /** The position of that earlier message. */
  readonly first: number;
  /** Whether the two are the same request. */
  readonly isSame: boolean;
}

/**
 * Finds the messages of one batch that share a key. Only the first one of each key goes to the store. If
 * it is accepted, its answer counts for the same request again, and no other request may have its key.
 */
export class Twins {
  readonly #firsts = new Map<string, { readonly position: number; readonly fingerprint: string }>();
  readonly found: Twin[] = [];

  /** False: its key has come before. */
  isFirst(request: ScheduleRequest, position: number): boolean {
    const { key, fingerprint } = request.idempotency!;
    const first = this.#firsts.get(key);
    if (first === undefined) {
      this.#firsts.set(key, { position, fingerprint });
      return true;
    }
    const isSame = first.fingerprint === fingerprint;
    this.found.push({ request, position, first: first.position, isSame });
    return false;
  }
}
