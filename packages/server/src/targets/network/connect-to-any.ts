import { connect as connectTcp, type Socket, type TcpNetConnectOpts } from "node:net";
import type { Timer, Timers } from "../../platform/timers.ts";

export interface ConnectToAnyOptions {
  /** At least one, in order of preference. */
  readonly addresses: readonly string[];
  readonly port: number;
  readonly timers: Timers;
  /** Node's own, except in tests that decide when a handshake ends. */
  readonly connect?: (options: TcpNetConnectOpts) => Socket;
  readonly onConnect: (socket: Socket) => void;
  readonly onError: (error: Error) => void;
}

/** Something in the making. Its user destroys it when it no longer needs it. */
export interface Destroyable {
  destroy(error: Error): unknown;
}

/** "Connection Attempt Delay" of RFC 8305, section 5. */
const nextAddressMs = 250;
/** A name with thousands of addresses must not open thousands of sockets. */
const mostAddresses = 16;

const socketOptions = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 };

/**
 * Connects to the address that answers first (RFC 8305). It starts the next address when the one before has
 * failed or takes too long. The earlier try continues, because a single lost packet already costs a second.
 * Only the caller's timeout ends the tries: see `destroy`.
 */
export function connectToAny(options: ConnectToAnyOptions): Destroyable {
  const { port, timers, connect = connectTcp } = options;
  const addresses = options.addresses.slice(0, mostAddresses);
  const underWay = new Set<Socket>();
  let firstError: Error | null = null;
  let timer: Timer | null = null;
  let begunCount = 0;
  beginNext();

  function beginNext(): void {
    timer?.cancel();
    timer = null;
    const host = addresses[begunCount];
    if (host === undefined) return;
    begunCount += 1;
    const socket = connect({ ...socketOptions, host, port });
    underWay.add(socket);
    if (begunCount < addresses.length) timer = timers.after(nextAddressMs, beginNext);
    const fail = (error: Error): void => {
      // A socket that lost the race, or that its user already has, can still report an error.
      if (!underWay.delete(socket)) return;
      firstError ??= error;
      if (begunCount < addresses.length) beginNext();
      else if (underWay.size === 0) options.onError(firstError);
    };
    socket.on("error", fail);
    socket.once("connect", () => {
      if (!underWay.delete(socket)) return;
      end();
      options.onConnect(socket);
    });
  }

  /** Closes the sockets that still connect. */
  function end(): void {
    timer?.cancel();
    for (const socket of underWay) {
      underWay.delete(socket);
      socket.destroy();
    }
  }

  return {
    destroy(error) {
      if (underWay.size === 0) return;
      end();
      options.onError(error);
    },
  };
}
