import { createHmac } from "node:crypto";

export interface SignedDelivery {
  readonly url: string;
  readonly secret: string;
  readonly messageId: string;
  readonly now: number;
  readonly payload: string;
}

/** Sends one delivery as the service would. */
export function deliverSigned(delivery: SignedDelivery): Promise<Response> {
  const { url, secret, messageId, now, payload } = delivery;
  const timestamp = String(Math.floor(now / 1000));
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const signature = createHmac("sha256", key).update(`${messageId}.${timestamp}.${payload}`);
  return fetch(url, {
    method: "POST",
    body: payload,
    headers: {
      "webhook-id": messageId,
      "webhook-timestamp": timestamp,
      "webhook-signature": `v1,${signature.digest("base64")}`,
      "postdate-attempt": "1",
    },
  });
}
