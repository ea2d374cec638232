import type { Caller } from "../../domain/access.ts";
import type { KeyOutcome } from "../../domain/message-key.ts";
import type { Message } from "../../domain/message.ts";
import { RequestRefused } from "../../domain/refusals.ts";
import type { SecretBox } from "../../platform/secret-box.ts";
import type { Store } from "../../storage/store.ts";
import type { DeliveryControl } from "../delivery/delivery-control.ts";
import { notePlanned } from "./note-planned.ts";
import { idempotencyKeyProblem, keyReused, singleKey } from "./idempotency.ts";
import { checkDraft, targetProblem } from "./message-draft.ts";
import type { MessageDraft } from "./message-draft.ts";
import { scheduleDecided } from "./schedule-decided.ts";
import type { ScheduleDecidedOptions } from "./schedule-decided.ts";
import { isAccepted, scheduleProblem } from "./schedule-problems.ts";

export interface ScheduleOptions extends ScheduleDecidedOptions {
  readonly store: Pick<Store, "scheduleMessages" | "rescheduleMessage" | "getTarget">;
  readonly delivery: Pick<DeliveryControl, "noteDue" | "noteBound">;
  readonly secretBox: SecretBox;
}

export interface Scheduled {
  readonly message: Message;
  /** True if the same request came before and this call scheduled nothing. */
  readonly repeated: boolean;
  /** Null for a message without a key. */
  readonly keyOutcome: KeyOutcome | null;
}

export async function scheduleMessage(
  options: ScheduleOptions,
  caller: Caller,
  draft: MessageDraft,
  idempotencyKey: string | undefined,
  callerGone?: () => AbortSignal,
): Promise<Scheduled> {
  const { store, delivery, secretBox } = options;
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
  const [result] = await scheduleDecided(options, [checked.request], callerGone);
  if (result === undefined) throw new Error("the store gave no answer to a schedule request");
  if (!isAccepted(result)) {
    const { request } = checked;
    throw new RequestRefused(
      scheduleProblem(result, { request, keyReused, waitedMs: options.cancelWaitMs }),
    );
  }
  const { message, keyOutcome = null } = result;
  if (result.kind === "scheduled") notePlanned(delivery, caller.accountId, result);
  return { message, keyOutcome, repeated: result.kind === "repeated" };
}
