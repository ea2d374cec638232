import type { Socket } from "node:net";

/** What one request holds while it is under way. */
export interface Holding {
  bodyBytes: number;
  /** The request was read to its end, and is being worked on. */
  working: boolean;
  readonly connection: Set<Holding>;
}

/**
 * What all requests under way hold together. A request holds until it is answered. If its client hangs
 * up before that, it gives back at once what it was still sending, while work that was begun is held
 * to its end: those who give up and come again must not pile it up.
 */
export class Holdings {
  requests = 0;
  bodyBytes = 0;
  readonly #connections = new WeakMap<Socket, Set<Holding>>();

  take(socket: Socket): Holding {
    let connection = this.#connections.get(socket);
    if (connection === undefined) {
      connection = new Set();
      this.#connections.set(socket, connection);
      const held = connection;
      socket.once("close", () => {
        for (const holding of held) if (!holding.working) this.giveBack(holding);
      });
    }
    const holding: Holding = { bodyBytes: 0, working: false, connection };
    connection.add(holding);
    this.requests++;
    return holding;
  }

  /** Sets how many bytes of a body the request holds. */
  resize(holding: Holding, bodyBytes: number): void {
    if (!holding.connection.has(holding)) return;
    this.bodyBytes += bodyBytes - holding.bodyBytes;
    holding.bodyBytes = bodyBytes;
  }

  giveBack(holding: Holding): void {
    if (!holding.connection.delete(holding)) return;
    this.requests--;
    this.bodyBytes -= holding.bodyBytes;
  }
}
