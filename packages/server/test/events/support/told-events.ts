import { onTestFinished } from "vitest";
import { startReceiver } from "../../support/receiver.ts";
import type { Receipt, Receiver } from "../../support/receiver.ts";

/** A receiver that closes with the test. */
export async function openReceiver(): Promise<Receiver> {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  return receiver;
}

export interface Told {
  readonly id: string;
  readonly type: string;
  readonly data: {
    readonly message?: { readonly messageId: string };
    readonly gap?: { readonly events: number };
  };
}

/** The events in a request. */
export function toldIn({ body }: Receipt): Told[] {
  const told = JSON.parse(body.toString());
  return Array.isArray(told) ? told : [told];
}

/** The ids of the messages that these requests tell of, in order. */
export function messagesIn(receipts: readonly Receipt[]): (string | undefined)[] {
  return receipts.flatMap(toldIn).map(({ data }) => data.message?.messageId);
}
