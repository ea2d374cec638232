import { Webhook } from "standardwebhooks";

export const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
export const otherSecret = `whsec_${Buffer.alloc(32, 8).toString("base64")}`;

export interface SigningChoice {
  readonly body?: string;
  readonly messageId?: string;
  readonly at?: number;
  readonly secrets?: readonly string[];
}

/** The headers of a delivery, signed by the reference implementation. */
export function signedHeaders({
  body = "hello",
  messageId = "msg_1",
  at = Date.now(),
  secrets = [secret],
}: SigningChoice = {}): Record<string, string> {
  const signatures = secrets.map((each) => new Webhook(each).sign(messageId, new Date(at), body));
  return {
    "webhook-id": messageId,
    "webhook-timestamp": String(Math.floor(at / 1_000)),
    "webhook-signature": signatures.join(" "),
  };
}

export function signedRequest(choice: SigningChoice = {}, init: RequestInit = {}): Request {
  return new Request("http://receiver.test/hook", {
    method: "POST",
    body: choice.body ?? "hello",
    ...init,
    headers: { ...signedHeaders(choice), ...(init.headers as Record<string, string>) },
  });
}
