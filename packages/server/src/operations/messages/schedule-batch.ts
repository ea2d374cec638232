import type { Caller } from "../../domain/access.ts";
import type { KeyOutcome } from "../../domain/message-key.ts";
import type { Message } from "../../domain/message.ts";
import type { Problem } from "../../domain/refusals.ts";
import { RequestRefused } from "../../domain/refusals.ts";
import type { SecretBox } from "../../platform/secret-box.ts";
import type { ScheduleRequest, Store } from "../../storage/store.ts";
import { keysOfBatch } from "./batch-keys.ts";
import type { DeliveryControl } from "../delivery/delivery-control.ts";
import { notePlanned } from "./note-planned.ts";
import { itemKeyReused, keyReused } from "./idempotency.ts";
import { checkDraft, targetProblem } from "./message-draft.ts";
import type { BatchDraft } from "./message-draft.ts";
import { scheduleDecided } from "./schedule-decided.ts";
import type { ScheduleDecidedOptions } from "./schedule-decided.ts";
import { isAccepted, scheduleProblem } from "./schedule-problems.ts";
import type { Accepted } from "./schedule-problems.ts";

export interface ScheduleBatchOptions extends ScheduleDecidedOptions {
  readonly store: Pick<Store, "scheduleMessages" | "rescheduleMessage" | "getTarget">;
  readonly delivery: Pick<DeliveryControl, "noteDue" | "noteBound">;
  readonly secretBox: SecretBox;
}

export type BatchItem = AcceptedItem | { readonly errors: readonly Problem[] };

interface AcceptedItem {
  readonly message: Message;
  /** The message's own key was used before, and this call scheduled nothing for it. */
  readonly replayed?: true;
  /** Only of a message with a key. */
  readonly keyOutcome?: KeyOutcome;
}

export interface ScheduledBatch {
  readonly results: readonly BatchItem[];
  /** True if an earlier call with the same batch has already scheduled every message that is not refused. */
  readonly repeated: boolean;
}

/** Schedules each message on its own: a refused message does not stop the others. */
export async function scheduleBatch(
  options: ScheduleBatchOptions,
  caller: Caller,
  drafts: readonly BatchDraft[],
  idempotencyKey: string | undefined,
  callerGone?: () => AbortSignal,
): Promise<ScheduledBatch> {
  const { store, delivery, secretBox } = options;
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

  const results = requests.length === 0 ? [] : await scheduleDecided(options, requests, callerGone);
  for (const [index, result] of results.entries()) {
    if (result.kind === "scheduled") {
      notePlanned(delivery, caller.accountId, result);
    }
    const position = positions[index]!;
    const hasOwnKey = drafts[position]!.idempotencyKey !== undefined;
    items[position] = isAccepted(result)
      ? acceptedItem(result, hasOwnKey)
      : {
          errors: [
            scheduleProblem(result, {
              request: requests[index]!,
              keyReused: hasOwnKey ? itemKeyReused : keyReused,
              waitedMs: options.cancelWaitMs,
            }),
          ],
        };
  }
  const accepted = results.filter(isAccepted);
  const repeated = accepted.length > 0 && accepted.every(({ kind }) => kind === "repeated");
  return { results: items, repeated };
}

function acceptedItem({ kind, message, keyOutcome }: Accepted, hasOwnKey: boolean): AcceptedItem {
  return {
    message,
    ...(hasOwnKey && kind === "repeated" && { replayed: true }),
    ...(keyOutcome !== undefined && { keyOutcome }),
  };
}
