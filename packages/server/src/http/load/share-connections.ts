import type { Server } from "node:http";
import ipaddr from "ipaddr.js";
import { addressBlock } from "../admission/address-block.ts";
import { FairShare } from "../../platform/fair-share.ts";

export interface ShareConnectionsOptions {
  readonly maxConnections: number;
  /** In CIDR notation. Many callers come through one proxy. */
  readonly trustProxies: readonly string[];
  readonly onClosed: () => void;
}

/**
 * Closes connections beyond a bound, and those beyond what one address may have: eight ninths of it. Each
 * listener drops connections by its own count. The count here covers all connections of the server.
 */
export function shareConnections(server: Server, options: ShareConnectionsOptions): void {
  const { maxConnections, trustProxies, onClosed } = options;
  const isProxy = matcherOf(trustProxies);
  const share = new FairShare({ limit: maxConnections, guaranteed: 1, multiple: 8 });
  const heldBy = new Map<string, number>();
  let open = 0;
  /** Takes a place for one more connection of this block (null for a proxy), if there is one. */
  const takePlace = (block: string | null): boolean => {
    if (open >= maxConnections) return false;
    if (block !== null) {
      const held = heldBy.get(block) ?? 0;
      if (!share.take(1, held)) return false;
      heldBy.set(block, held + 1);
    }
    open++;
    return true;
  };
  const givePlaceBack = (block: string | null): void => {
    open--;
    if (block === null) return;
    share.giveBack(1);
    const left = heldBy.get(block)! - 1;
    if (left > 0) heldBy.set(block, left);
    else heldBy.delete(block);
  };

  server.maxConnections = maxConnections;
  server.on("drop", onClosed);
  server.on("connection", (socket) => {
    const address = socket.remoteAddress;
    if (address === undefined) return;
    const block = isProxy(address) ? null : addressBlock(address);
    if (takePlace(block)) {
      socket.once("close", () => givePlaceBack(block));
      return;
    }
    socket.destroy();
    onClosed();
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
