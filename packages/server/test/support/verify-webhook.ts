import { Webhook } from "standardwebhooks";
import type { Receipt } from "./receiver.ts";

/** Checks a signature as a receiver does. Throws if none is valid. */
export function verifyWebhook(secret: string, { body, headers }: Receipt): void {
  new Webhook(secret).verify(body, headers as Record<string, string>, { jsonParse: false });
}
