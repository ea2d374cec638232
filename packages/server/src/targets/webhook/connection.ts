import type { Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { Client, errors, type buildConnector, type Dispatcher } from "undici";
import type { Timers } from "../../platform/timers.ts";
import type { AddressPolicy } from "../network/address-policy.ts";
import { connectToAny, type Destroyable } from "../network/connect-to-any.ts";
import { literalAddress, type AddressLookup } from "../network/host-lookup.ts";
import { AddressRefused } from "../network/network-failures.ts";
import { AttemptOver, TlsFailed } from "./delivery-failures.ts";
import type { IdleConnection, IdleConnections } from "./idle-connections.ts";
import { skipContinue, type AnswerReader } from "./skip-continue.ts";

/** The attempt that a connection is made for. When it gives up, the connection closes too. */
export interface ConnectionUser extends Dispatcher.DispatchHandler, AnswerReader {
  readonly accountId: string;
  readonly isOver: boolean;
  /** Until `onRequestStart`, the user must destroy the unfinished connection if it gives up. */
  connecting(unfinished: Destroyable): void;
}

export interface ConnectionRules {
  readonly policy: AddressPolicy;
  readonly lookup: AddressLookup;
  readonly timers: Timers;
  readonly idle: IdleConnections;
}

interface Seat {
  user: ConnectionUser | null;
  /** Null until it is connected, and after it has closed. */
  socket: Socket | null;
}

/**
 * undici's client for one connection. Without pipelining it carries one attempt at a time, so every new
 * connection is made for a known attempt. When that attempt runs out of time, in any phase, its socket
 * closes at once and does not wait for another timeout.
 */
export class Connection extends Client implements IdleConnection {
  readonly #seat: Seat;
  readonly #idle: IdleConnections;

  constructor(origin: URL, options: Client.Options, rules: ConnectionRules) {
    const seat: Seat = { user: null, socket: null };
    super(origin, {
      ...options,
      connect: (place, done) => openSocket({ place, done, rules, seat }),
    });
    this.#seat = seat;
    this.#idle = rules.idle;
    this.on("drain", () => {
      if (seat.socket !== null && this.stats.size === 0) this.#idle.add(this);
    });
    this.on("disconnect", () => {
      seat.socket = null;
      this.#idle.remove(this);
    });
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: ConnectionUser): boolean {
    this.#seat.user = handler;
    this.#idle.remove(this);
    return super.dispatch(options, handler);
  }

  closeIdle(): void {
    // The same error as when undici itself closes an idle connection.
    this.#seat.socket?.destroy(new errors.InformationalError("socket idle"));
  }
}

interface Opening {
  readonly place: buildConnector.Options;
  readonly done: buildConnector.Callback;
  readonly rules: ConnectionRules;
  readonly seat: Seat;
}

/** Looks up the name, connects, checks the address that was reached, and only then lets a byte be sent. */
function openSocket({ place, done, rules, seat }: Opening): void {
  const { user } = seat;
  if (user === null || user.isOver) return done(new AttemptOver(), null);
  const host = place.hostname;
  const isTls = place.protocol === "https:";
  const port = place.port === "" ? (isTls ? 443 : 80) : Number(place.port);
  const finish = once(done);
  const fail = (error: Error): void => finish(error, null);

  const literal = literalAddress(host);
  if (literal !== null) return connect([literal], user);
  user.connecting({ destroy: fail });
  rules.lookup({ accountId: user.accountId, hostname: host }, (error, addresses) => {
    if (error !== null) fail(error);
    else if (!user.isOver) connect(addresses, user);
  });

  function connect(addresses: readonly string[], connectionUser: ConnectionUser): void {
    const unfinished = connectToAny({
      addresses,
      port,
      timers: rules.timers,
      onConnect: (tcp) => checkAndFinish(tcp, connectionUser),
      onError: fail,
    });
    connectionUser.connecting(unfinished);
  }

  function checkAndFinish(tcp: Socket, connectionUser: ConnectionUser): void {
    if (!rules.policy.allows(tcp.remoteAddress ?? "")) {
      tcp.destroy();
      return fail(new AddressRefused(host));
    }
    connectionUser.connecting(tcp);
    if (!isTls) return finishReady(tcp);
    const tls = startTls(tcp, host);
    tls.on("error", (error) => finish(new TlsFailed(error), null));
    tls.once("secureConnect", () => finishReady(tls));
    connectionUser.connecting(tls);
  }

  function finishReady(socket: Socket): void {
    seat.socket = socket;
    finish(
      null,
      skipContinue(socket, () => seat.user),
    );
  }
}

function startTls(tcp: Socket, host: string): TLSSocket {
  const isName = literalAddress(host) === null;
  return connectTls({
    socket: tcp,
    host,
    ALPNProtocols: ["http/1.1"],
    ...(isName ? { servername: host } : {}),
  });
}

function once(done: buildConnector.Callback): buildConnector.Callback {
  let isDone = false;
  return (...args) => {
    if (isDone) return;
    isDone = true;
    done(...args);
  };
}
