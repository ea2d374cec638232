import type { Caller } from "../../domain/access.ts";
import type { Message } from "../../domain/message.ts";
import type { Problem } from "../../domain/refusals.ts";
import { RequestRefused } from "../../domain/refusals.ts";
import type { ScheduleRequest, ScheduleResult, Store } from "../../storage/store.ts";
import { keysOfBatch, Twins } from "./batch-keys.ts";
import type { Twin } from "./batch-keys.ts";
import type { DeliveryControl } from "./delivery-control.ts";
import { itemKeyReused, keyReused } from "./idempotency.ts";
import { checkDraft, limitReached, noSuchTarget, targetProblem } from "./message-draft.ts";
import type { BatchDraft } from "./message-draft.ts";

export interface ScheduleBatchOptions {
  readonly store: Pick<Store, "scheduleMessages" | "getTarget">;
  readonly delivery: Pick<DeliveryControl, "noteDue">;
}

export type BatchItem =
  /** `replayed`: the message's own key was used before, and this call scheduled nothing for it. */
  { readonly message: Message; readonly replayed?: true } | { readonly errors: readonly Problem[] };

export interface ScheduledBatch {
  readonly results: readonly BatchItem[];
  /** True if an earlier call with the same batch has already scheduled every message that is not refused. */
  readonly repeated: boolean;
}

/** Schedules each message on its own: a refused message does not stop the others. */
export async function scheduleBatch(
  { store, delivery }: ScheduleBatchOptions,
  caller: Caller,
  drafts: readonly BatchDraft[],
  idempotencyKey: string | undefined,
): Promise<ScheduledBatch> {
  const keyOf = keysOfBatch(drafts, idempotencyKey);
  if (typeof keyOf !== "function") throw new RequestRefused(keyOf);
  const items: BatchItem[] = Array.from({ length: drafts.length });
  const requests: ScheduleRequest[] = [];
  const positions: number[] = [];
  const twins = new Twins();
  const refused: { readonly position: number; readonly problems: Problem[] }[] = [];
  for (const [position, draft] of drafts.entries()) {
    const checked = checkDraft(draft, {
      accountId: caller.accountId,
      idempotencyKey: keyOf(draft, position),
    });
    if (!checked.ok) {
      refused.push({ position, problems: checked.problems });
    } else if (draft.idempotencyKey === undefined || twins.isFirst(checked.request, position)) {
      requests.push(checked.request);
      positions.push(position);
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

  const ask = async (asked: readonly ScheduleRequest[], at: readonly number[]) => {
    const results = asked.length === 0 ? [] : await store.scheduleMessages(asked);
    for (const [index, result] of results.entries()) {
      if (result.kind === "scheduled") {
        delivery.noteDue(caller.accountId, result.targetKey, result.message.originalDeliveryTime);
      }
      const position = at[index]!;
      const hasOwnKey = drafts[position]!.idempotencyKey !== undefined;
      items[position] = itemOf(result, asked[index]!, hasOwnKey);
    }
    return results;
  };
  const results = await ask(requests, positions);
  const unlike: Twin[] = [];
  for (const twin of twins.found) {
    const first = items[twin.first]!;
    if (twin.isSame) items[twin.position] = repeatOf(first);
    else if (isReuse(first)) unlike.push(twin);
    else items[twin.position] = { errors: [itemKeyReused] };
  }
  // An earlier call has their key. It was not the first request here, so it may be theirs.
  results.push(
    ...(await ask(
      unlike.map(({ request }) => request),
      unlike.map(({ position }) => position),
    )),
  );
  const accepted = results.filter(({ kind }) => kind === "scheduled" || kind === "repeated");
  const repeated = accepted.length > 0 && accepted.every(({ kind }) => kind === "repeated");
  return { results: items, repeated };
}

function itemOf(result: ScheduleResult, request: ScheduleRequest, hasOwnKey: boolean): BatchItem {
  if (result.kind === "no-target") return { errors: [noSuchTarget(request.targetId)] };
  if (result.kind === "key-reused") return { errors: [hasOwnKey ? itemKeyReused : keyReused] };
  if (result.kind === "over-quota") return { errors: [limitReached] };
  const { message } = result;
  return hasOwnKey && result.kind === "repeated" ? { message, replayed: true } : { message };
}

function isReuse(item: BatchItem): boolean {
  return "errors" in item && item.errors[0] === itemKeyReused;
}

/** The same request again: its message if there is one, or the same refusal. */
function repeatOf(item: BatchItem): BatchItem {
  return "message" in item ? { message: item.message, replayed: true } : item;
}
