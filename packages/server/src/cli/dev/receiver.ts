import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Clock } from "../../platform/clock.ts";
import { failNext, type FailurePlan } from "./failure-plan.ts";
import { signatureFault } from "./signature.ts";

/** One request to the receiver, and its answer. */
export interface ReceivedDelivery {
  readonly messageId: string | null;
  readonly attempt: string | null;
  readonly receivedAt: number;
  /** Null if the service no longer knows. */
  readonly dueAt: number | null;
  readonly status: number;
  readonly signatureFault: string | undefined;
  readonly body: Uint8Array;
}

export interface ReceiverOptions {
  readonly port: number;
  readonly clock: Clock;
  readonly secret: string;
  /** Must be called while the attempt is in flight, because only then the service knows it. */
  dueAt(messageId: string): Promise<number | null>;
  onDelivery(delivery: ReceivedDelivery): void;
}

export interface Receiver {
  readonly url: string;
  /** Checks signatures against this secret from now on. */
  useSecret(secret: string): void;
  close(): Promise<void>;
}

export const defaultReceiverPort = 7071;

/** More than the longest payload at four bytes for each character. */
const longestBody = 1024 * 1024;

/** A webhook receiver like one that a user would write. It can be told to fail. */
export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
  const plan: FailurePlan = { remaining: 0, status: 503 };
  let { secret } = options;
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const receivedAt = options.clock.now();
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://receiver");
    if (request.method !== "POST") return reply(response, 405, "POST a delivery, or POST /fail");
    if (pathname === "/fail") {
      request.resume();
      if (isFromAWebsite(request)) {
        return reply(response, 403, "Websites may not do this. Use `postdate dev fail`, or curl.");
      }
      const { status, text } = failNext(plan, searchParams);
      return reply(response, status, text);
    }
    const messageId = headerOf(request, "webhook-id");
    const [body, dueAt] = await Promise.all([
      readBody(request),
      messageId === null ? null : options.dueAt(messageId),
    ]);
    if (body === undefined) return reply(response, 413, "too long");
    const fault = signatureFault({ headers: request.headers, body, secret, now: receivedAt });
    const status = fault === undefined ? plannedStatus(plan) : 401;
    reply(response, status, fault ?? (status === 200 ? "received" : "failing as requested"));
    const attempt = headerOf(request, "postdate-attempt");
    options.onDelivery({
      messageId,
      attempt,
      receivedAt,
      dueAt,
      status,
      signatureFault: fault,
      body,
    });
  }

  server.listen(options.port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    useSecret: (newSecret) => void (secret = newSecret),
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

function plannedStatus(plan: FailurePlan): number {
  if (plan.remaining === 0) return 200;
  plan.remaining--;
  return plan.status;
}

const ownNames = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/i;

/**
 * A page in this machine's browser can also reach the receiver, by its address or by a name that
 * resolves to it.
 */
function isFromAWebsite({ headers }: IncomingMessage): boolean {
  const site = headers["sec-fetch-site"];
  return (
    headers.origin !== undefined ||
    (site !== undefined && site !== "none") ||
    !ownNames.test(headers.host ?? "")
  );
}

function headerOf(request: IncomingMessage, name: string): string | null {
  const value = request.headers[name];
  return typeof value === "string" ? value : null;
}

/** Undefined if the body is too long. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= longestBody) chunks.push(chunk);
  }
  return length <= longestBody ? Buffer.concat(chunks) : undefined;
}

function reply(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(`${text}\n`);
}
