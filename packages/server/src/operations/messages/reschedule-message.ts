import type { Caller } from "../../domain/access.ts";
import type { Message } from "../../domain/message.ts";
import type { Problem } from "../../domain/refusals.ts";
import { codes, RequestRefused } from "../../domain/refusals.ts";
import type { ChangeResult, Store } from "../../storage/store.ts";
import { messageNotFound } from "./cancel-message.ts";
import type { DeliveryControl } from "./delivery-control.ts";
import { messageRef } from "./message-ref.ts";
import { readWantedTime } from "./wanted-time.ts";
import type { GivenWantedTime } from "./wanted-time.ts";

export interface RescheduleOptions {
  readonly store: Pick<Store, "rescheduleMessage">;
  readonly delivery: Pick<DeliveryControl, "noteDue">;
  /** How long to wait for the outcome of an attempt in flight. */
  readonly cancelWaitMs: number;
}

export async function rescheduleMessage(
  { store, delivery, cancelWaitMs }: RescheduleOptions,
  caller: Caller,
  messageId: string,
  given: GivenWantedTime,
  formProblems: readonly Problem[] = [],
): Promise<Message> {
  const problems = [...formProblems];
  const deliveryTime = readWantedTime(given, problems);
  if (deliveryTime === undefined || problems.length > 0) throw new RequestRefused(...problems);
  const ref = messageRef(caller, messageId);
  if (ref === undefined) throw new RequestRefused(messageNotFound);
  const result = await store.rescheduleMessage({ ...ref, deliveryTime, waitMs: cancelWaitMs });
  if (result.kind === "changed") {
    delivery.noteDue(caller.accountId, result.targetKey, result.message.nextDeliveryTime!);
    return result.message;
  }
  throw new RequestRefused(problemOf(result.kind, cancelWaitMs));
}

function problemOf(kind: Exclude<ChangeResult["kind"], "changed">, waitedMs: number): Problem {
  const problems: Record<typeof kind, Problem> = {
    "not-found": messageNotFound,
    refused: {
      code: codes.notReschedulable,
      message: "The message is DELIVERED and cannot be rescheduled. Schedule a new one.",
    },
    "in-flight": {
      code: codes.attemptInProgress,
      message: `A delivery attempt is running and did not end within ${waitedMs} ms. Nothing was changed: try again in a moment.`,
    },
    "no-target": {
      code: codes.messageTargetNotFound,
      message:
        "The target of this message was removed, so the message cannot be delivered. Create the target again first.",
    },
  };
  return problems[kind];
}
