import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Receipt {
  readonly messageId: string;
  readonly attempt: number;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly startedAt: number;
  /** When the whole request had arrived. */
  readonly at: number;
  /** When the answer ended or the connection broke. Null if neither has happened yet. */
  readonly endedAt: number | null;
  /** The status of a complete answer. Null if there is none, or none yet. */
  readonly status: number | null;
}

type OpenReceipt = { -readonly [Field in keyof Receipt]: Receipt[Field] };

export type Answer = (receipt: Receipt, response: ServerResponse) => void;

export interface Receiver extends AsyncDisposable {
  readonly url: string;
  readonly receipts: readonly Receipt[];
  /** Sets how the receiver answers the next requests. The default is 204. */
  answerWith(answer: Answer): void;
  /** Resolves once there are at least this many receipts that match. */
  received(count: number, matches?: (receipt: Receipt) => boolean): Promise<Receipt[]>;
  close(): Promise<void>;
}

/** A real HTTP server that accepts deliveries and remembers them. */
export async function startReceiver(port = 0): Promise<Receiver> {
  const receipts: OpenReceipt[] = [];
  const waiting = new Set<() => void>();
  let answer: Answer = (_, response) => response.writeHead(204).end();

  const server = createServer((request, response) => {
    const startedAt = Date.now();
    void readBody(request).then(
      (body) => {
        const receipt = readReceipt(request, body, startedAt);
        receipts.push(receipt);
        response.once("close", () => {
          receipt.endedAt = Date.now();
          receipt.status = response.writableFinished ? response.statusCode : null;
        });
        for (const check of waiting) check();
        answer(receipt, response);
      },
      () => {},
    );
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    receipts,
    answerWith(next) {
      answer = next;
    },
    received(count, matches = () => true) {
      return new Promise((resolve) => {
        const check = (): void => {
          const found = receipts.filter(matches);
          if (found.length < count) return;
          waiting.delete(check);
          resolve(found);
        };
        waiting.add(check);
        check();
      });
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function readReceipt(request: IncomingMessage, body: Buffer, startedAt: number): OpenReceipt {
  return {
    messageId: String(request.headers["webhook-id"]),
    attempt: Number(request.headers["postdate-attempt"]),
    path: request.url ?? "",
    headers: request.headers,
    body,
    startedAt,
    at: Date.now(),
    endedAt: null,
    status: null,
  };
}
