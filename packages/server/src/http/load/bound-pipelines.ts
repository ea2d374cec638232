import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { noteUnsent } from "./unsent-answers.ts";

type OnRequest = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Closes a connection whose client sends many requests and does not read the answers. One piece of data may
 * hold some two thousand requests. Node.js starts all of them and keeps the unread answers. So this check
 * comes before all other work for a request.
 */
export function boundPipelines(server: Server, onClosed: () => void): void {
  const handlers = server.listeners("request") as OnRequest[];
  server.removeAllListeners("request");
  server.on("request", (request, response) => {
    const { socket } = request;
    // The request came in the same piece as the one for which the connection was closed.
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

/** The value that tells the parser to ignore the rest of the piece, as after an upgrade. */
const nothingFollows = 2;

/**
 * Node.js parses everything that it has read, even if the connection is gone, and makes a request and a
 * response for each. It has no official way to stop this. If a later version closes this way too, the
 * requests are made and dropped.
 */
function stopParsing(socket: Socket & { readonly parser?: { onIncoming?: unknown } | null }): void {
  if (typeof socket.parser?.onIncoming === "function") {
    socket.parser.onIncoming = () => nothingFollows;
  }
}
