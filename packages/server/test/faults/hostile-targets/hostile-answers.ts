import type { ServerResponse } from "node:http";
import type { AttemptOutcome } from "../../../src/domain/attempt.ts";
import type { Answer } from "../../support/receiver.ts";

/** A bad way to answer, and what must be on record about it. */
export interface HostileAnswer {
  readonly targetId: string;
  readonly answer: Answer;
  readonly outcome: AttemptOutcome;
  /** The status that arrives complete before the answer turns bad. Null if nothing counts as an answer. */
  readonly status: number | null;
}

const internalError = "HTTP/1.1 500 Internal Server Error\r\n";
const noise = Buffer.alloc(16 * 1_024, "never ends ");

/** Written as bytes on the connection, because no HTTP server would send them. */
export const hostileAnswers: readonly HostileAnswer[] = [
  { targetId: "hangs", outcome: "TIMEOUT", status: null, answer: () => {} },
  {
    targetId: "trickles-headers",
    outcome: "TIMEOUT",
    status: null,
    answer: (_, response) => trickle(response, `${internalError}Content-Length: 0\r\n\r\n`),
  },
  {
    targetId: "trickles-body",
    outcome: "BAD_STATUS",
    status: 500,
    answer(_, response) {
      response.socket?.write(`${internalError}Content-Length: 100\r\n\r\n`);
      trickle(response, "x".repeat(100));
    },
  },
  {
    targetId: "endless-headers",
    outcome: "CONNECTION_FAILED",
    status: null,
    answer(_, response) {
      response.socket?.write(`${internalError}X-Long: `);
      flood(response);
    },
  },
  {
    targetId: "endless-body",
    outcome: "BAD_STATUS",
    status: 500,
    answer(_, response) {
      response.socket?.write(`${internalError}\r\n`);
      flood(response);
    },
  },
  {
    targetId: "endless-success",
    outcome: "DELIVERED",
    status: 200,
    answer(_, response) {
      response.socket?.write("HTTP/1.1 200 OK\r\n\r\n");
      flood(response);
    },
  },
  {
    targetId: "resets-at-once",
    outcome: "CONNECTION_FAILED",
    status: null,
    answer: (_, response) => response.socket?.resetAndDestroy(),
  },
  {
    targetId: "resets-in-headers",
    outcome: "CONNECTION_FAILED",
    status: null,
    answer: (_, response) => sendAndReset(response, `${internalError}Content-`),
  },
  {
    targetId: "resets-in-body",
    outcome: "BAD_STATUS",
    status: 500,
    answer: (_, response) =>
      sendAndReset(response, `${internalError}Content-Length: 100\r\n\r\nnot all of it`),
  },
];

/** One byte a second. */
function trickle(response: ServerResponse, text: string): void {
  const bytes = text[Symbol.iterator]();
  const send = (): void => {
    const { done, value } = bytes.next();
    if (done === true) clearInterval(timer);
    else response.socket?.write(value);
  };
  const timer = setInterval(send, 1_000);
  response.once("close", () => clearInterval(timer));
  send();
}

/**
 * Sends as much as the receiver takes, for as long as it reads. It sends in pieces, so that other targets
 * here get time too.
 */
function flood({ socket }: ServerResponse): void {
  const send = (): void => {
    if (socket !== null && !socket.destroyed) socket.write(noise, () => setImmediate(send));
  };
  send();
}

function sendAndReset({ socket }: ServerResponse, text: string): void {
  socket?.write(text, () => socket.resetAndDestroy());
}
