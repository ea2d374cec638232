import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly before: ServerResponse | undefined;
}

const latest = Symbol("latest exchange");

type Connection = Socket & { [latest]?: Exchange };

/**
 * A connection may carry a request that was understood, and nonsense behind it. The answer to the
 * nonsense must not overtake that to the request: the caller would take it for its own, and believe
 * that nothing was done. So every request is noted.
 */
export function noteOwed(request: IncomingMessage, response: ServerResponse): void {
  const socket: Connection = request.socket;
  socket[latest] = { request, response, before: socket[latest]?.response };
}

/** Whether the client has to send more of its request, and whether that has been answered already. */
export function unfinishedRequest(
  socket: Connection,
): { readonly isAnswered: boolean; readonly isRead: boolean } | undefined {
  const exchange = socket[latest];
  if (exchange === undefined || exchange.request.complete) return undefined;
  const { request, response } = exchange;
  return { isAnswered: response.writableFinished, isRead: request.readableFlowing === true };
}

/** Goes on once every request that was read whole has its answer. Answers come in order. */
export function whenNothingIsOwed(socket: Connection, goOn: () => void): void {
  const exchange = socket[latest];
  const owed = exchange?.request.complete === true ? exchange.response : exchange?.before;
  if (owed === undefined || owed.writableFinished || owed.destroyed) return goOn();
  owed.once("close", goOn);
}
