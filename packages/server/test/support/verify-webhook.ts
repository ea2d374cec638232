import { Webhook } from "standardwebhooks";
import type { Receipt } from "./receiver.ts";

/** As a receiver would check it; throws where no signature fits. */
export function verifyWebhook(secret: string, { body, headers }: Receipt): void {
  new Webhook(secret).verify(body, headers as Record<string, string>, { jsonParse: false });
}
