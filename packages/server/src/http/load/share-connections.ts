import type { Server } from "node:http";
import type { Socket } from "node:net";
import ipaddr from "ipaddr.js";
import { addressBlock } from "../admission/address-block.ts";
import { connectionToClose } from "./connection-to-close.ts";
import { ConnectionsByAddress } from "./connections-by-address.ts";
import { FairShare } from "../../platform/fair-share.ts";

export interface ShareConnectionsOptions {
  readonly maxConnections: number;
  /** In CIDR notation. Many callers come through one proxy. */
  readonly trustProxies: readonly string[];
  readonly onClosed: () => void;
}

const addressOf = Symbol("address");

type Connection = Socket & { [addressOf]?: string };

/** Connections that the system still counts while they are being closed. */
const closing = 64;

/**
 * Closes connections beyond a bound, and those beyond what one address may have: eight ninths of it. If an
 * address with few connections finds no room, an unused connection of the address with the most makes room.
 * So a few addresses cannot keep out another one. Each listener drops connections by its own count. The
 * count here covers all connections of the server.
 */
export function shareConnections(server: Server, options: ShareConnectionsOptions): void {
  const { maxConnections, trustProxies, onClosed } = options;
  const isProxy = matcherOf(trustProxies);
  const share = new FairShare({ limit: maxConnections, guaranteed: 1, multiple: 8 });
  const direct = new ConnectionsByAddress();
  const open = new Set<Socket>();
  const giveBack = (socket: Connection): void => {
    if (!open.delete(socket)) return;
    const address = socket[addressOf];
    if (address === undefined) return;
    direct.remove(address, socket);
    share.giveBack(1);
  };
  const close = (socket: Socket): void => {
    socket.destroy();
    onClosed();
  };
  /** Whether there is room for one more of this address (undefined for a proxy), if need be by closing another. */
  const takeRoom = (address: string | undefined): boolean => {
    const held = address === undefined ? 0 : direct.countOf(address);
    const fits = address === undefined || share.fits(1, held);
    if (open.size >= maxConnections || !fits) {
      const unused = connectionToClose(direct, held);
      if (unused === undefined) return false;
      giveBack(unused);
      close(unused);
    }
    if (address !== undefined) share.overdraw(1);
    return true;
  };

  server.maxConnections = maxConnections + closing;
  server.on("drop", onClosed);
  server.on("connection", (socket: Connection) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined) return;
    const address = isProxy(remoteAddress) ? undefined : addressBlock(remoteAddress);
    if (!takeRoom(address)) return close(socket);
    open.add(socket);
    socket.once("close", () => giveBack(socket));
    if (address === undefined) return;
    socket[addressOf] = address;
    direct.add(address, socket);
  });
  server.on("request", ({ socket }: { readonly socket: Connection }) => {
    const address = socket[addressOf];
    if (address !== undefined) direct.noteUse(address, socket);
  });
}

function matcherOf(ranges: readonly string[]): (ip: string) => boolean {
  const parsed = ranges.map((range) => ipaddr.parseCIDR(range));
  return (ip) => {
    if (parsed.length === 0 || !ipaddr.isValid(ip)) return false;
    const address = ipaddr.process(ip);
    return parsed.some(
      ([network, bits]) => network.kind() === address.kind() && address.match(network, bits),
    );
  };
}
