import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

const unsent = Symbol("unsent answers");

/** In the order of arrival. The latest stays until another comes, even if it has its answer. */
type Connection = Socket & { [unsent]?: Exchange[] };

/** Few clients send requests before they have read the answers, and those send only a handful. */
const mostUnsent = 10;

/**
 * Notes a request whose answer is not sent yet. A connection may carry a valid request with invalid bytes
 * behind it. The answer to the invalid bytes must not overtake the answer to the request: the caller would
 * take it for the answer to its request, and believe that nothing was done. Returns false if too many
 * answers are unsent.
 */
export function noteUnsent(request: IncomingMessage, response: ServerResponse): boolean {
  const socket: Connection = request.socket;
  const exchanges = (socket[unsent] ??= []);
  while (exchanges.length > 0 && hasItsAnswer(exchanges[0]!.response)) exchanges.shift();
  if (exchanges.length >= mostUnsent) return false;
  exchanges.push({ request, response });
  return true;
}

/** The request of which the client has not sent everything: whether it is answered, and whether the server reads it. */
export function unfinishedRequest(
  socket: Connection,
): { readonly isAnswered: boolean; readonly isRead: boolean } | undefined {
  const exchange = socket[unsent]?.at(-1);
  if (exchange === undefined || exchange.request.complete) return undefined;
  const { request, response } = exchange;
  return { isAnswered: response.writableFinished, isRead: request.readableFlowing === true };
}

/** What the server still has to do for a connection: work on a request, or send answers that are complete. */
export function workOn(socket: Connection): "request" | "unread" | "none" {
  const open = (socket[unsent] ?? []).filter(({ response }) => !hasItsAnswer(response));
  if (open.some(({ response }) => !response.writableEnded)) return "request";
  return open.length > 0 ? "unread" : "none";
}

/** Calls `goOn` once every complete request has its answer. Node.js sends answers in order. */
export function whenAllAreSent(socket: Connection, goOn: () => void): void {
  const exchanges = socket[unsent] ?? [];
  const last = exchanges.at(-1)?.request.complete === true ? exchanges.at(-1) : exchanges.at(-2);
  if (last === undefined || hasItsAnswer(last.response)) return goOn();
  last.response.once("close", goOn);
}

function hasItsAnswer(response: ServerResponse): boolean {
  return response.writableFinished || response.destroyed;
}
