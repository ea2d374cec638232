import type { Caller } from "../../domain/access.ts";
import type { Message } from "../../domain/message.ts";
import { RequestRefused } from "../../domain/refusals.ts";
import type { SecretBox } from "../../platform/secret-box.ts";
import type { Store } from "../../storage/store.ts";
import type { DeliveryControl } from "./delivery-control.ts";
import { notePlanned } from "./note-planned.ts";
import { tooLate } from "./given-options.ts";
import { idempotencyKeyProblem, keyReused, singleKey } from "./idempotency.ts";
import { checkDraft, limitReached, noSuchTarget, targetProblem } from "./message-draft.ts";
import type { MessageDraft } from "./message-draft.ts";

export interface ScheduleOptions {
  readonly store: Pick<Store, "scheduleMessages" | "getTarget">;
  readonly delivery: Pick<DeliveryControl, "noteDue" | "noteBound">;
  readonly secretBox: SecretBox;
}

export interface Scheduled {
  readonly message: Message;
  /** True if the same request came before and this call scheduled nothing. */
  readonly repeated: boolean;
}

export async function scheduleMessage(
  { store, delivery, secretBox }: ScheduleOptions,
  caller: Caller,
  draft: MessageDraft,
  idempotencyKey: string | undefined,
): Promise<Scheduled> {
  const badKey = idempotencyKeyProblem(idempotencyKey);
  const checked = checkDraft(draft, {
    accountId: caller.accountId,
    secretBox,
    idempotencyKey: idempotencyKey === undefined ? undefined : singleKey(idempotencyKey),
  });
  if (!checked.ok || badKey !== undefined) {
    const problems = checked.ok ? [] : checked.problems;
    if (badKey !== undefined) problems.push(badKey);
    const badTarget = await targetProblem(store, caller.accountId, draft.targetId);
    if (badTarget !== undefined) problems.push(badTarget);
    throw new RequestRefused(...problems);
  }
  const [result] = await store.scheduleMessages([checked.request]);
  if (result === undefined) throw new Error("the store gave no answer to a schedule request");
  if (result.kind === "key-reused") throw new RequestRefused(keyReused);
  if (result.kind === "no-target") {
    throw new RequestRefused(noSuchTarget(checked.request.targetId));
  }
  if (result.kind === "over-quota") throw new RequestRefused(limitReached);
  if (result.kind === "too-late") throw new RequestRefused(tooLate);
  if (result.kind === "repeated") return { message: result.message, repeated: true };
  notePlanned(delivery, caller.accountId, result);
  return { message: result.message, repeated: false };
}
