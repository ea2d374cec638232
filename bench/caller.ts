import { connect } from "node:net";
import type { Socket } from "node:net";
import { once } from "node:events";

export interface Answer {
  readonly status: number;
  readonly body: string;
}

/**
 * A client with one connection that costs next to nothing, so that what is measured is the server:
 * requests are written as bytes, and of an answer only the status, the length and the body are looked at.
 */
export class Caller {
  readonly #socket: Socket;
  readonly #head: string;
  #received: Buffer = Buffer.alloc(0);
  #answered: ((answer: Answer) => void) | undefined;
  #failed: ((error: Error) => void) | undefined;

  private constructor(socket: Socket, head: string) {
    this.#socket = socket;
    this.#head = head;
    socket.setNoDelay(true);
    socket.on("data", (bytes) => this.#take(bytes));
    socket.on("close", () => this.#failed?.(new Error("the server closed the connection")));
  }

  static async connect(url: string, path: string, key: string): Promise<Caller> {
    const { hostname, port, host } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    const head =
      `POST ${path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${key}\r\n` +
      "content-type: application/json\r\ncontent-length: ";
    return new Caller(socket, head);
  }

  /** One at a time. */
  post(body: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#answered = resolve;
      this.#failed = reject;
      this.#socket.write(`${this.#head}${Buffer.byteLength(body)}\r\n\r\n${body}`);
    });
  }

  close(): void {
    this.#failed = undefined;
    this.#socket.destroy();
  }

  #take(bytes: Buffer): void {
    this.#received = this.#received.length === 0 ? bytes : Buffer.concat([this.#received, bytes]);
    const headEnd = this.#received.indexOf("\r\n\r\n");
    if (headEnd < 0) return;
    const head = this.#received.toString("latin1", 0, headEnd);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    const end = headEnd + 4 + length;
    if (this.#received.length < end) return;
    const body = this.#received.toString("utf8", headEnd + 4, end);
    this.#received = Buffer.alloc(0);
    this.#answered?.({ status: Number(head.slice(9, 12)), body });
  }
}
