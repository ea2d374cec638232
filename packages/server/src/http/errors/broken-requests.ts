import type { Socket } from "node:net";
import { codes } from "../../domain/refusals.ts";
import { encodeBase32 } from "../../platform/base32.ts";
import type { Random } from "../../platform/random.ts";
import { whenAllAreSent } from "../load/unsent-answers.ts";

const answers: Readonly<Record<string, { readonly status: string; readonly message: string }>> = {
  HPE_HEADER_OVERFLOW: {
    status: "431 Request Header Fields Too Large",
    message: "The headers or the path are too long.",
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: "408 Request Timeout",
    message: "The request took too long to arrive.",
  },
};

/** Bytes that the parser rejects never become a request. This answers them directly on the socket. */
export function answerBrokenRequest(random: Random, headers: Readonly<Record<string, string>>) {
  // The parser may fail again on later bytes of the same connection. The client gets one answer.
  const ending = new WeakSet<Socket>();
  return (error: Error & { readonly code?: string }, socket: Socket): void => {
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    if (ending.has(socket)) return;
    ending.add(socket);
    const answer = answers[error.code ?? ""] ?? {
      status: "400 Bad Request",
      message: "This is not a valid HTTP request.",
    };
    const body = JSON.stringify({
      errors: [{ code: codes.invalidRequest, message: answer.message }],
    });
    const head = [
      `HTTP/1.1 ${answer.status}`,
      "content-type: application/json; charset=utf-8",
      `content-length: ${Buffer.byteLength(body)}`,
      `x-request-id: req_${encodeBase32(random.bytes(8))}`,
      "connection: close",
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ];
    whenAllAreSent(socket, () => {
      if (socket.writable) socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
    });
  };
}
