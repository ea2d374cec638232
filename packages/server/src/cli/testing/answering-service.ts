import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

export interface Answer {
  readonly status?: number;
  readonly json?: unknown;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface AnsweringService {
  readonly url: string;
  readonly asked: Asked[];
  close(): Promise<void>;
}

/**
 * An HTTP server that gives the answers of the test. It shows how commands map to requests and answers
 * to output, not what the service does.
 */
export async function answeringService(
  answer: (asked: Asked, index: number) => Answer,
): Promise<AnsweringService> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const one: Asked = {
      method: request.method ?? "",
      path: request.url ?? "",
      headers: request.headers,
      body: text === "" ? undefined : JSON.parse(text),
    };
    asked.push(one);
    const { status = 200, json, text: plain, headers } = answer(one, asked.length - 1);
    const contentType = json === undefined ? {} : { "content-type": "application/json" };
    response.writeHead(status, { ...contentType, ...headers });
    response.end(json === undefined ? plain : JSON.stringify(json));
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
