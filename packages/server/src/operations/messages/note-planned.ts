import type { Message } from "../../domain/message.ts";
import type { DeliveryControl } from "../delivery/delivery-control.ts";

/** Tells the engine of a message that was just scheduled or rescheduled. */
export function notePlanned(
  delivery: Pick<DeliveryControl, "noteDue" | "noteBound">,
  accountId: string,
  { message, targetKey }: { readonly message: Message; readonly targetKey: number },
): void {
  if (message.nextDeliveryTime !== null) {
    delivery.noteDue(accountId, targetKey, message.nextDeliveryTime);
  }
  if (message.options?.notAfter !== undefined) delivery.noteBound(message.options.notAfter);
}
