import type { Caller } from "../../domain/access.ts";
import type { Message } from "../../domain/message.ts";
import type { Problem } from "../../domain/refusals.ts";
import { codes, RequestRefused } from "../../domain/refusals.ts";
import type { ChangeResult, Store } from "../../storage/store.ts";
import { messageRef } from "./message-ref.ts";

export interface CancelOptions {
  readonly store: Pick<Store, "cancelMessage">;
  /** How long to wait for the outcome of an attempt in flight. */
  readonly cancelWaitMs: number;
}

export const messageNotFound: Problem = {
  code: codes.messageNotFound,
  message: "There is no such message. It may have expired. Otherwise correct the messageId.",
};

export async function cancelMessage(
  options: CancelOptions,
  caller: Caller,
  messageId: string,
): Promise<Message> {
  const result = await tryToCancel(options, caller, messageId);
  return cancelledBy(result, options);
}

export async function tryToCancel(
  { store, cancelWaitMs }: CancelOptions,
  caller: Caller,
  messageId: string,
): Promise<ChangeResult> {
  const ref = messageRef(caller, messageId);
  if (ref === undefined) return { kind: "not-found" };
  return store.cancelMessage({ ...ref, waitMs: cancelWaitMs });
}

/** The cancelled message, or the refusal for the caller. */
export function cancelledBy(result: ChangeResult, { cancelWaitMs }: CancelOptions): Message {
  if (result.kind === "changed") return result.message;
  if (result.kind === "not-found") throw new RequestRefused(messageNotFound);
  if (result.kind === "refused") {
    throw new RequestRefused({
      code: codes.notCancellable,
      message: `The message is ${result.message.state}. Only a SCHEDULED message can be cancelled.`,
    });
  }
  if (result.kind === "in-flight") {
    throw new RequestRefused({
      code: codes.notCancellable,
      message: `A delivery attempt is running and did not end within ${cancelWaitMs} ms. Nothing was changed: read the message and try again.`,
    });
  }
  throw new Error("the store asked for a target to cancel a message");
}
