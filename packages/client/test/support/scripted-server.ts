import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach } from "vitest";
import type { PostdateOptions } from "../../src/index.ts";
import { Postdate } from "../../src/index.ts";

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // Tests look into what the client has sent, so it has no type.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly json: any;
}

export type Script = (request: Received, response: ServerResponse) => unknown;

export interface ScriptedServer {
  readonly url: string;
  readonly received: readonly Received[];
  /** How the server answers from now on. */
  answerWith(...scripts: readonly Script[]): void;
  /** Resolves once so many requests have arrived. */
  arrived(count: number): Promise<void>;
  /** A client of this server that retries quickly. */
  client(options?: PostdateOptions): Postdate;
}

/** A real HTTP server for each test. Each script answers one request, the last one all further ones. */
export function scriptedServers(): (...scripts: readonly Script[]) => Promise<ScriptedServer> {
  const open: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of open.splice(0)) await close();
  });

  return async (...first) => {
    let scripts = [...first];
    const received: Received[] = [];
    const waiting = new Set<() => void>();
    const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const text = Buffer.concat(chunks).toString();
      const isJson = request.headers["content-type"] === "application/json";
      const one: Received = {
        method: request.method ?? "",
        path: request.url ?? "",
        headers: request.headers,
        text,
        json: isJson ? JSON.parse(text) : undefined,
      };
      received.push(one);
      const script = scripts.length > 1 ? scripts.shift() : scripts[0];
      for (const check of waiting) check();
      await script?.(one, response);
    };
    // A caller that leaves in the middle of its request has no answer to get.
    const server = createServer(
      (request, response) => void serve(request, response).catch(() => {}),
    );
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    open.push(async () => {
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, "close");
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return {
      url,
      received,
      answerWith: (...next) => void (scripts = [...next]),
      arrived: (count) =>
        new Promise((resolve) => {
          const check = (): void => {
            if (received.length < count) return;
            waiting.delete(check);
            resolve();
          };
          waiting.add(check);
          check();
        }),
      client(options) {
        const own = { url, key: "pd_test", retry: { initialMs: 1, maxMs: 2 } };
        return new Postdate({ ...own, ...options } as PostdateOptions);
      },
    };
  };
}

export function answer(
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): Script {
  return (_, response) =>
    response
      .writeHead(status, {
        "content-type": "application/json",
        "x-request-id": "req-1",
        ...headers,
      })
      .end(JSON.stringify(body));
}

export function refusal(
  status: number,
  code: string,
  headers: Record<string, string> = {},
): Script {
  return answer(status, { errors: [{ code, message: `It is ${code}.` }] }, headers);
}

/** Takes the request and breaks the connection. */
export const hangUp: Script = (_, response) => response.destroy();

/** Begins an answer and breaks the connection in the middle. */
export const halfAnAnswer: Script = (_, response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
  response.write('{"messageId":', () => response.destroy());
};

/** The same for an answer that ends with its connection, which gives no sign that a part is missing. */
export const halfAnAnswerWithoutLength: Script = (_, response) =>
  response.socket?.end(
    'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n{"messageId":',
  );

/** What a proxy says for itself. */
export function page(status: number): Script {
  return (_, response) =>
    response.writeHead(status, { "content-type": "text/html" }).end("<h1>Sorry</h1>");
}

/** Takes the request and never answers. */
export const silence: Script = () => {};

export function messageOf(messageId: string, change: Record<string, unknown> = {}) {
  return {
    messageId,
    targetId: "t",
    schedulingTime: "2026-11-13T16:04:11.482Z",
    originalDeliveryTime: "2026-11-14T09:30:00.000Z",
    state: "SCHEDULED",
    deliveryFailureCount: 0,
    nextDeliveryTime: "2026-11-14T09:30:00.000Z",
    lastDeliveryTime: null,
    deadLetterTime: null,
    cancellationTime: null,
    expirationTime: null,
    ...change,
  };
}
