import { connect } from "node:net";
import type { Socket } from "node:net";
import { once } from "node:events";

/** The server closes a connection that is idle for longer than a minute. */
const freshMs = 30_000;

const headEnd = Buffer.from("\r\n\r\n");

/**
 * A client with one connection that costs next to nothing, so that the benchmark measures the server.
 * It writes requests that were made before as bytes, and reads only the status and the length of an
 * answer. It reads the first answer of each connection completely, so that a refusal inside an answer
 * of 200 does not go unnoticed.
 */
export class Caller {
  readonly #socket: Socket;
  #head: Buffer | undefined;
  #bodyLeft = 0;
  #status = 0;
  #checked = false;
  #body: Buffer[] = [];
  #answered: PromiseWithResolvers<void> | undefined;
  #usedAt = performance.now();

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on("data", (bytes) => this.#take(bytes));
    socket.on("error", (error) => this.#answered?.reject(error));
    socket.on("close", () => this.#answered?.reject(new Error("the server closed the connection")));
  }

  static async connect(url: string): Promise<Caller> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    return new Caller(socket);
  }

  /** The server does not close this connection yet. */
  get isFresh(): boolean {
    return performance.now() - this.#usedAt < freshMs;
  }

  /** Sends one request at a time. Resolves when the answer is 200. */
  send(request: Buffer): Promise<void> {
    this.#usedAt = performance.now();
    this.#answered = Promise.withResolvers<void>();
    this.#socket.write(request);
    return this.#answered.promise;
  }

  close(): void {
    this.#answered = undefined;
    this.#socket.destroy();
  }

  #take(bytes: Buffer): void {
    let body = bytes;
    if (this.#bodyLeft === 0) {
      const received = this.#head === undefined ? bytes : Buffer.concat([this.#head, bytes]);
      const end = received.indexOf(headEnd);
      this.#head = end < 0 ? received : undefined;
      if (end < 0) return;
      const head = received.toString("latin1", 0, end);
      this.#status = Number(head.slice(9, 12));
      this.#bodyLeft = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      body = received.subarray(end + headEnd.length);
    }
    this.#bodyLeft -= body.length;
    if (!this.#checked || this.#status !== 200) this.#body.push(body);
    if (this.#bodyLeft === 0) this.#settle();
  }

  #settle(): void {
    const answered = this.#answered!;
    if (this.#checked && this.#status === 200) return answered.resolve();
    this.#checked = true;
    const text = Buffer.concat(this.#body).toString();
    this.#body = [];
    if (this.#status === 200 && !text.includes('"errors"')) return answered.resolve();
    answered.reject(new Error(`answered with ${this.#status}: ${text.slice(0, 300)}`));
  }
}
