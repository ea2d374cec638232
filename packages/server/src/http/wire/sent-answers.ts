import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

const waiting = Symbol("waiting for answers to be sent");

type Connection = Socket & { [waiting]?: Set<() => void> };

/**
 * Goes on once the answer is out of our hands, or its connection is gone. Node.js tells only that answer
 * of the end of the connection whose turn it is; those behind it learn it here, from one listener.
 */
export function whenSent(socket: Connection, response: ServerResponse, goOn: () => void): void {
  if (socket.destroyed || response.destroyed) return goOn();
  const all = (socket[waiting] ??= watch(socket));
  const finish = (): void => {
    if (all.delete(finish)) goOn();
  };
  all.add(finish);
  response.once("close", finish);
}

function watch(socket: Connection): Set<() => void> {
  const all = new Set<() => void>();
  socket.once("close", () => {
    for (const finish of all) finish();
  });
  return all;
}
