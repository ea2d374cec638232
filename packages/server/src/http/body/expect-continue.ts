import type { IncomingMessage, Server, ServerResponse } from "node:http";

const asked = new WeakMap<IncomingMessage, ServerResponse>();

/**
 * A client that sends `Expect: 100-continue` wants to know whether its body is welcome before it sends
 * it. It is told so when the body is about to be read, and not before its credential was looked at.
 */
export function answerExpectations(server: Server): void {
  server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
    asked.set(request, response);
    server.emit("request", request, response);
  });
}

/** Tells a client that waits for it to send its body. */
export function askForBody(request: IncomingMessage): void {
  if (!waitsToBeAsked(request)) return;
  asked.get(request)?.writeContinue();
  asked.delete(request);
}

/** Nobody knows whether the body of such a client comes once it was answered without being asked. */
export function waitsToBeAsked(request: IncomingMessage): boolean {
  return request.headers.expect !== undefined && asked.has(request);
}
