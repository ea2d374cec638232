import type { IncomingMessage, Server, ServerResponse } from "node:http";

const asked = new WeakMap<IncomingMessage, ServerResponse>();

/**
 * A client that sends `Expect: 100-continue` waits for the server before it sends its body. The server
 * asks for the body only when it is about to read it, after it has checked the credential.
 *
 * Node.js itself would answer any other expectation, past all bounds and in a format of its own. So these
 * requests take the way of all others.
 */
export function answerExpectations(server: Server): void {
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
    server.emit("request", request, response);
  });
  server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
    asked.set(request, response);
    server.emit("request", request, response);
  });
}

/** Asks a client that waits to send its body. */
export function askForBody(request: IncomingMessage): void {
  if (!waitsToBeAsked(request)) return;
  asked.get(request)?.writeContinue();
  asked.delete(request);
}

/** If such a client gets its answer without being asked, it may or may not still send its body. */
export function waitsToBeAsked(request: IncomingMessage): boolean {
  return request.headers.expect !== undefined && asked.has(request);
}
