export interface IdleConnection {
  /** Closes the connection, which carries no attempt. */
  closeIdle(): void;
}

/** A node with few targets never meets this limit. Others make some connections anew. */
const mostKept = 1_024;
/** The rest of the files is for callers, the store and attempts under way. */
const shareOfFiles = 1 / 4;

export function mostIdleConnections(mostOpenFiles: number): number {
  return Math.min(mostKept, Math.max(1, Math.floor(mostOpenFiles * shareOfFiles)));
}

/**
 * The connections of all targets that wait for their next attempt. Each takes a file descriptor, and a
 * receiver may ask to keep it for a minute. Beyond the limit the longest idle one closes.
 */
export class IdleConnections {
  readonly #most: number;
  /** The longest idle one first. */
  readonly #connections = new Set<IdleConnection>();

  constructor(most: number) {
    this.#most = most;
  }

  add(connection: IdleConnection): void {
    this.#connections.delete(connection);
    this.#connections.add(connection);
    if (this.#connections.size <= this.#most) return;
    const [longest] = this.#connections;
    this.#connections.delete(longest!);
    longest!.closeIdle();
  }

  /** The connection carries an attempt, or has closed. */
  remove(connection: IdleConnection): void {
    this.#connections.delete(connection);
  }
}
