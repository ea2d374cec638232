import { expect, vi } from "vitest";
import type { Api } from "./api.ts";
import type { Receipt, Receiver } from "./receiver.ts";
import { operatorKey } from "./server-process.ts";
import { verifyWebhook } from "./verify-webhook.ts";

export interface SealedThingsOptions {
  readonly api: Api;
  readonly receiver: Receiver;
  readonly targets: number;
  readonly messages: number;
}

/** Something of everything that is sealed in the store, and what is known of it outside. */
export interface SealedThings {
  /** Throws unless everything can be opened, and is what it was. */
  check(api: Api): Promise<void>;
}

const farAway = "2099-01-01T00:00:00Z";
const batchSize = 1_000;
const patience = { timeout: 120_000, interval: 50 };

/** Targets with confidential headers, messages and a schedule with some, an event endpoint, a token and its key. */
export async function makeSealedThings(options: SealedThingsOptions): Promise<SealedThings> {
  const { api, receiver, targets, messages } = options;
  const secrets = new Map<string, string>();
  for (let index = 0; index < targets; index++) {
    const body = {
      targetId: `sealed${index}`,
      url: `${receiver.url}/sealed${index}`,
      headers: { "x-of-target": `confidential ${index}` },
    };
    secrets.set(body.targetId, (await ok(api, "POST", "/v1/targets", { body })).secret);
  }
  const targetOf = (index: number): string => `sealed${index % targets}`;
  const given = (index: number, deliveryTime = farAway) => ({
    targetId: targetOf(index),
    deliveryTime,
    payload: `payload ${index}`,
    headers: { "x-of-message": `password ${index}` },
    labels: { run: "sealed" },
  });
  for (let first = 0; first < messages; first += batchSize) {
    const size = Math.min(batchSize, messages - first);
    const batch = Array.from({ length: size }, (_, at) => given(first + at));
    await ok(api, "POST", "/v1/messages/batch", { body: { messages: batch } });
  }
  const repeated = { body: given(0), headers: { "idempotency-key": "sealed" } };
  const { messageId } = await ok(api, "POST", "/v1/messages", repeated);
  const schedule = {
    ...{ targetId: targetOf(0), payload: "tick", everyMs: 3_600_000, startTime: farAway },
    message: { headers: { "x-of-schedule": "key of the schedule" } },
  };
  await ok(api, "PUT", "/v1/schedules/sealed", { body: schedule });
  const hook = { kind: "webhook", url: `${receiver.url}/events`, types: ["message.delivered"] };
  const endpoint = await ok(api, "POST", "/v1/event-endpoints", { body: hook });
  const client = await ok(api, "POST", "/v1/clients", {
    body: { name: "sealed", scopes: ["scheduler.all.read"] },
  });
  const token = await tokenOf(api, client);
  const page = await ok(api, "GET", "/v1/targets?limit=1");

  async function check(now: Api): Promise<void> {
    const again = await ok(now, "POST", "/v1/messages", repeated);
    expect(again.messageId).toBe(messageId);
    if (page.nextPageToken !== null) {
      await ok(now, "GET", `/v1/targets?limit=1&pageToken=${page.nextPageToken}`);
    }
    await ok(now, "GET", "/v1/targets", { key: token });
    await tokenOf(now, client);
    // An equal definition changes nothing: the headers of the schedule are compared with those that it has.
    const before = await ok(now, "GET", "/v1/schedules/sealed");
    const { revision } = await ok(now, "PUT", "/v1/schedules/sealed", { body: schedule });
    expect(revision).toBe(before.revision);
    for (const receipt of await deliverAll(now)) expectSent(receipt);
    const [told] = await receiver.received(1, ({ path }) => path === "/events");
    verifyWebhook(endpoint.secret, told!);
  }

  async function deliverAll(now: Api): Promise<Receipt[]> {
    const body = {
      action: "reschedule",
      deliveryTime: new Date().toISOString(),
      filter: { labels: { run: "sealed" } },
      ratePerSecond: 10_000,
    };
    await ok(now, "POST", "/v1/jobs", { body });
    const sent = (): Receipt[] =>
      receiver.receipts.filter(({ path }) => path.startsWith("/sealed"));
    // A slow machine may time an attempt out: the same message comes again.
    await vi.waitFor(() => {
      expect(new Set(sent().map(({ messageId: id }) => id)).size).toBe(messages + 1);
    }, patience);
    return sent();
  }

  function expectSent(receipt: Receipt): void {
    const index = Number(receipt.body.toString().slice("payload ".length));
    const targetId = targetOf(index);
    expect([receipt.path, receipt.headers["x-of-message"], receipt.headers["x-of-target"]]).toEqual(
      [`/${targetId}`, `password ${index}`, `confidential ${targetId.slice("sealed".length)}`],
    );
    verifyWebhook(secrets.get(targetId)!, receipt);
  }

  return { check };
}

interface Encryption {
  readonly keyId: string;
  readonly keys: readonly { readonly keyId: string; readonly values: number }[];
  readonly exact: boolean;
  readonly rotation: { readonly state: string; readonly rewritten: number } | null;
}

export function encryptionOf(api: Api): Promise<Encryption> {
  return ok(api, "GET", "/v1/encryption", { key: operatorKey });
}

export function rotateEncryptionKey(api: Api): Promise<Encryption> {
  return ok(api, "POST", "/v1/encryption/rotate", { key: operatorKey });
}

async function tokenOf(
  api: Api,
  client: { clientId: string; clientSecret: string },
): Promise<string> {
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: client.clientId,
    client_secret: client.clientSecret,
  });
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const body = form.toString();
  return (await ok(api, "POST", "/oauth/token", { body, headers, key: null })).access_token;
}

// The answers of many routes.
// oxlint-disable-next-line typescript/no-explicit-any
async function ok(api: Api, ...call: Parameters<Api>): Promise<any> {
  const { status, body, text } = await api(...call);
  if (status !== 200 && status !== 201) {
    throw new Error(`${call[0]} ${call[1]}: ${status} ${text}`);
  }
  return body;
}
