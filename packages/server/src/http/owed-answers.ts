import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly before: ServerResponse | undefined;
}

/**
 * A connection may carry a request that was understood, and nonsense behind it. The answer to the
 * nonsense must not overtake that to the request: the caller would take it for its own, and believe
 * that nothing was done.
 */
export class OwedAnswers {
  readonly #latest = new WeakMap<Socket, Exchange>();

  note(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    this.#latest.set(socket, { request, response, before: this.#latest.get(socket)?.response });
  }

  /** Goes on once every request that was read whole has its answer. Answers come in order. */
  settled(socket: Socket, goOn: () => void): void {
    const latest = this.#latest.get(socket);
    const owed = latest?.request.complete === true ? latest.response : latest?.before;
    if (owed === undefined || owed.writableFinished || owed.destroyed) return goOn();
    owed.once("close", goOn);
  }
}
