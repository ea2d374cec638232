import type { Caller } from "../../domain/access.ts";
import type { Message } from "../../domain/message.ts";
import type { Problem } from "../../domain/refusals.ts";
import { codes, RequestRefused } from "../../domain/refusals.ts";
import type { ChangeResult, RescheduleRequest, Store } from "../../storage/store.ts";
import { messageNotFound } from "./cancel-message.ts";
import type { DeliveryControl } from "../delivery/delivery-control.ts";
import { notePlanned } from "./note-planned.ts";
import { readBound, tooLate } from "./given-options.ts";
import type { GivenBoundFields } from "./given-options.ts";
import { messageRef } from "./message-ref.ts";
import { keyTaken } from "./schedule-problems.ts";
import { readWantedTime } from "./wanted-time.ts";
import type { GivenWantedTime } from "./wanted-time.ts";

export interface RescheduleOptions {
  readonly store: Pick<Store, "rescheduleMessage">;
  readonly delivery: Pick<DeliveryControl, "noteDue" | "noteBound">;
  /** How long to wait for the outcome of an attempt in flight. */
  readonly cancelWaitMs: number;
}

type WantedReschedule = Pick<RescheduleRequest, "deliveryTime" | "bound" | "whileScheduled">;

export async function rescheduleMessage(
  options: RescheduleOptions,
  caller: Caller,
  messageId: string,
  ...change: Parameters<typeof readReschedule>
): Promise<Message> {
  const result = await tryToReschedule(options, caller, messageId, readReschedule(...change));
  return rescheduledBy(result, options, caller);
}

export function readReschedule(
  given: GivenWantedTime & GivenBoundFields,
  formProblems: readonly Problem[] = [],
): WantedReschedule {
  const problems = [...formProblems];
  const deliveryTime = readWantedTime(given, problems);
  const bound = readBound(given, deliveryTime, problems);
  if (deliveryTime === undefined || problems.length > 0) throw new RequestRefused(...problems);
  return bound === undefined ? { deliveryTime } : { deliveryTime, bound };
}

export async function tryToReschedule(
  { store, cancelWaitMs }: RescheduleOptions,
  caller: Caller,
  messageId: string,
  wanted: WantedReschedule,
): Promise<ChangeResult> {
  const ref = messageRef(caller, messageId);
  if (ref === undefined) return { kind: "not-found" };
  return store.rescheduleMessage({ ...ref, ...wanted, waitMs: cancelWaitMs });
}

/** The rescheduled message, or the refusal for the caller. */
export function rescheduledBy(
  result: ChangeResult,
  { delivery, cancelWaitMs }: RescheduleOptions,
  caller: Caller,
): Message {
  if (result.kind === "changed") {
    notePlanned(delivery, caller.accountId, result);
    return result.message;
  }
  if (result.kind === "key-taken") throw new RequestRefused(keyTaken(result.messageId));
  throw new RequestRefused(problemOf(result.kind, cancelWaitMs));
}

function problemOf(
  kind: Exclude<ChangeResult["kind"], "changed" | "key-taken">,
  waitedMs: number,
): Problem {
  const problems: Record<typeof kind, Problem> = {
    "not-found": messageNotFound,
    refused: {
      code: codes.notReschedulable,
      message:
        "The message is DELIVERED, or its schedule has put another one in its place. It cannot be rescheduled: schedule a new one.",
    },
    "too-late": {
      ...tooLate,
      message:
        "The message has a notAfter, and its new delivery time is not before it. Give an earlier time, or a later notAfter, or null for none.",
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
