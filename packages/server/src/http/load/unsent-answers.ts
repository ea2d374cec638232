import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

const unsent = Symbol("unsent answers");

/** In the order in which they came. The latest stays until another comes, also when it has its answer. */
type Connection = Socket & { [unsent]?: Exchange[] };

/** Clients that send before they have read are few, and those that do send a handful. */
const mostUnsent = 10;

/**
 * A connection may carry a request that was understood, and nonsense behind it. The answer to the
 * nonsense must not overtake the answer to the request: the caller would take it for its own, and believe
 * that nothing was done. So every request is noted. False: too many answers are unsent already.
 */
export function noteUnsent(request: IncomingMessage, response: ServerResponse): boolean {
  const socket: Connection = request.socket;
  const exchanges = (socket[unsent] ??= []);
  while (exchanges.length > 0 && hasItsAnswer(exchanges[0]!.response)) exchanges.shift();
  if (exchanges.length >= mostUnsent) return false;
  exchanges.push({ request, response });
  return true;
}

/** Whether the client has to send more of its request, and whether that has been answered already. */
export function unfinishedRequest(
  socket: Connection,
): { readonly isAnswered: boolean; readonly isRead: boolean } | undefined {
  const exchange = socket[unsent]?.at(-1);
  if (exchange === undefined || exchange.request.complete) return undefined;
  const { request, response } = exchange;
  return { isAnswered: response.writableFinished, isRead: request.readableFlowing === true };
}

/** Goes on once every request that was read whole has its answer. Answers come in order. */
export function whenAllAreSent(socket: Connection, goOn: () => void): void {
  const exchanges = socket[unsent] ?? [];
  const last = exchanges.at(-1)?.request.complete === true ? exchanges.at(-1) : exchanges.at(-2);
  if (last === undefined || hasItsAnswer(last.response)) return goOn();
  last.response.once("close", goOn);
}

function hasItsAnswer(response: ServerResponse): boolean {
  return response.writableFinished || response.destroyed;
}
