import type { Socket } from "node:net";

/**
 * The connections of each address. A count changes by one at a time, so the addresses with the most are
 * found without a search.
 */
export class ConnectionsByAddress {
  /** For each address its connections, the one used last at the end. */
  readonly #sockets = new Map<string, Set<Socket>>();
  /** The addresses with as many connections as the index says. */
  readonly #bySize: Set<string>[] = [new Set()];
  #most = 0;

  /** How many connections the address with the most has. */
  get most(): number {
    return this.#most;
  }

  countOf(address: string): number {
    return this.#sockets.get(address)?.size ?? 0;
  }

  add(address: string, socket: Socket): void {
    const sockets = this.#sockets.get(address) ?? new Set();
    this.#sockets.set(address, sockets);
    this.#bySize[sockets.size]!.delete(address);
    sockets.add(socket);
    (this.#bySize[sockets.size] ??= new Set()).add(address);
    this.#most = Math.max(this.#most, sockets.size);
  }

  remove(address: string, socket: Socket): void {
    const sockets = this.#sockets.get(address);
    if (sockets?.has(socket) !== true) return;
    this.#bySize[sockets.size]!.delete(address);
    sockets.delete(socket);
    if (sockets.size > 0) this.#bySize[sockets.size]!.add(address);
    else this.#sockets.delete(address);
    if (this.#bySize[this.#most]!.size === 0) this.#most--;
  }

  /** Moves the connection to the end of those of its address. */
  noteUse(address: string, socket: Socket): void {
    const sockets = this.#sockets.get(address);
    if (sockets?.delete(socket) === true) sockets.add(socket);
  }

  /** The addresses with more connections than this, those with the most first. */
  *addressesWithMoreThan(count: number): Generator<string> {
    for (let size = this.#most; size > count; size--) yield* this.#bySize[size]!;
  }

  /** In the order of their last use. */
  socketsOf(address: string): Iterable<Socket> {
    return this.#sockets.get(address) ?? [];
  }
}
