import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { noteUnsent } from "./unsent-answers.ts";

type OnRequest = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Closes a connection that sends more requests than it takes answers. Node.js begins every request that
 * came in one piece, some two thousand of them, and keeps what is not read: so the bound stands before
 * all that is done for a request.
 */
export function boundPipelines(server: Server, onClosed: () => void): void {
  const handlers = server.listeners("request") as OnRequest[];
  server.removeAllListeners("request");
  server.on("request", (request, response) => {
    const { socket } = request;
    // What came in the same piece as the request for which it was closed.
    if (socket.destroyed) return;
    if (noteUnsent(request, response)) {
      for (const handle of handlers) handle.call(server, request, response);
      return;
    }
    socket.destroy();
    stopParsing(socket);
    onClosed();
  });
}

/** As the parser does behind an upgrade: what else came in the same piece is no business of its own. */
const nothingFollows = 2;

/**
 * Node.js parses what it has read to its end, also for a connection that is gone, and makes a request and
 * a response of each; there is no other way to tell it that nobody wants them. Where this way is closed
 * one day, they are made and dropped.
 */
function stopParsing(socket: Socket & { readonly parser?: { onIncoming?: unknown } | null }): void {
  if (typeof socket.parser?.onIncoming === "function") {
    socket.parser.onIncoming = () => nothingFollows;
  }
}
