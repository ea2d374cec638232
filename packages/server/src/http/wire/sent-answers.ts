import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

const waiting = Symbol("waiting for answers to be sent");

type Connection = Socket & { [waiting]?: Set<() => void> };

/**
 * Calls `goOn` once the answer is sent or its connection is gone. When a connection ends, Node.js closes
 * only the answer that it is sending. The answers queued behind it learn of the end here, through one
 * listener for each connection.
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
