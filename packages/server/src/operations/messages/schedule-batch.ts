import type { Caller } from "../../domain/access.ts";
import type { Message } from "../../domain/message.ts";
import type { Problem } from "../../domain/refusals.ts";
import { RequestRefused } from "../../domain/refusals.ts";
import type { SecretBox } from "../../platform/secret-box.ts";
import type { ScheduleRequest, ScheduleResult, Store } from "../../storage/store.ts";
import { keysOfBatch } from "./batch-keys.ts";
import type { DeliveryControl } from "./delivery-control.ts";
import { notePlanned } from "./note-planned.ts";
import { tooLate } from "./given-options.ts";
import { itemKeyReused, keyReused } from "./idempotency.ts";
import { checkDraft, limitReached, noSuchTarget, targetProblem } from "./message-draft.ts";
import type { BatchDraft } from "./message-draft.ts";

export interface ScheduleBatchOptions {
  readonly store: Pick<Store, "scheduleMessages" | "getTarget">;
  readonly delivery: Pick<DeliveryControl, "noteDue" | "noteBound">;
  readonly secretBox: SecretBox;
}

export type BatchItem = AcceptedItem | { readonly errors: readonly Problem[] };

interface AcceptedItem {
  readonly message: Message;
  /** The message's own key was used before, and this call scheduled nothing for it. */
  readonly replayed?: true;
}

export interface ScheduledBatch {
  readonly results: readonly BatchItem[];
  /** True if an earlier call with the same batch has already scheduled every message that is not refused. */
  readonly repeated: boolean;
}

/** Schedules each message on its own: a refused message does not stop the others. */
export async function scheduleBatch(
  { store, delivery, secretBox }: ScheduleBatchOptions,
  caller: Caller,
  drafts: readonly BatchDraft[],
  idempotencyKey: string | undefined,
): Promise<ScheduledBatch> {
  const keyOf = keysOfBatch(drafts, idempotencyKey);
  if (typeof keyOf !== "function") throw new RequestRefused(keyOf);
  const items: BatchItem[] = Array.from({ length: drafts.length });
  const requests: ScheduleRequest[] = [];
  const positions: number[] = [];
  const refused: { readonly position: number; readonly problems: Problem[] }[] = [];
  for (const [position, draft] of drafts.entries()) {
    const checked = checkDraft(draft, {
      accountId: caller.accountId,
      secretBox,
      idempotencyKey: keyOf(draft, position),
    });
    if (checked.ok) {
      requests.push(checked.request);
      positions.push(position);
    } else {
      refused.push({ position, problems: checked.problems });
    }
  }

  // Looks up each target once, however many refused messages name it.
  const looked = new Map<string | undefined, Promise<Problem | undefined>>();
  for (const { position, problems } of refused) {
    const targetId = drafts[position]?.targetId;
    const look = looked.get(targetId) ?? targetProblem(store, caller.accountId, targetId);
    looked.set(targetId, look);
    const badTarget = await look;
    items[position] = { errors: badTarget === undefined ? problems : [...problems, badTarget] };
  }

  const results = requests.length === 0 ? [] : await store.scheduleMessages(requests);
  for (const [index, result] of results.entries()) {
    if (result.kind === "scheduled") {
      notePlanned(delivery, caller.accountId, result);
    }
    const position = positions[index]!;
    const hasOwnKey = drafts[position]!.idempotencyKey !== undefined;
    items[position] = itemOf(result, requests[index]!, hasOwnKey);
  }
  const accepted = results.filter(({ kind }) => kind === "scheduled" || kind === "repeated");
  const repeated = accepted.length > 0 && accepted.every(({ kind }) => kind === "repeated");
  return { results: items, repeated };
}

function itemOf(result: ScheduleResult, request: ScheduleRequest, hasOwnKey: boolean): BatchItem {
  if (result.kind === "no-target") return { errors: [noSuchTarget(request.targetId)] };
  if (result.kind === "key-reused") return { errors: [hasOwnKey ? itemKeyReused : keyReused] };
  if (result.kind === "over-quota") return { errors: [limitReached] };
  if (result.kind === "too-late") return { errors: [tooLate] };
  const { message } = result;
  return hasOwnKey && result.kind === "repeated" ? { message, replayed: true } : { message };
}
