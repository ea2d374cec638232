import { lookup as systemLookup, type LookupAddress, type LookupAllOptions } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import type { Timers } from "../../platform/timers.ts";
import type { AddressPolicy } from "./address-policy.ts";
import { AddressRefused, LookupFailed } from "./delivery-failures.ts";

/** `dns.lookup`, asked for every address of a name. */
export type HostLookup = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export const systemHostLookup: HostLookup = systemLookup;

/** The address that a URL's host is, without brackets; null where it is a name. */
export function literalAddress(hostname: string): string | null {
  const bare = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  return isIP(bare) === 0 ? null : bare;
}

/** A name that means this machine wherever it is asked for (RFC 6761), known to its resolver or not. */
export function isLocalName(hostname: string): boolean {
  return /(?:^|\.)localhost\.?$/i.test(hostname);
}

/** A look-up for sockets that never yields an address the policy refuses. */
export function createFilteredLookup(lookup: HostLookup, policy: AddressPolicy): LookupFunction {
  return (hostname, options, callback) => {
    const { family, hints } = options;
    const wanted: LookupAllOptions = {
      all: true,
      ...(family === undefined ? {} : { family }),
      ...(hints === undefined ? {} : { hints }),
    };
    lookup(hostname, wanted, (error, addresses) => {
      if (error !== null) return callback(new LookupFailed(hostname, error), "");
      const first = addresses[0];
      if (first === undefined) return callback(new LookupFailed(hostname), "");
      const allowed = addresses.filter(({ address }) => policy.allows(address));
      const [chosen] = allowed;
      if (chosen === undefined) return callback(new AddressRefused(hostname), "");
      if (options.all === true) callback(null, allowed);
      else callback(null, chosen.address, chosen.family);
    });
  };
}

export interface LookupOnceOptions {
  readonly lookup: HostLookup;
  readonly timers: Timers;
  readonly hostname: string;
  readonly withinMs: number;
}

/** What a name resolves to; nothing where it does not, or not in time. */
export function lookupWithin(options: LookupOnceOptions): Promise<readonly string[]> {
  return new Promise((resolve) => {
    const timer = options.timers.after(options.withinMs, () => resolve([]));
    options.lookup(options.hostname, { all: true }, (error, addresses) => {
      timer.cancel();
      resolve(error === null ? addresses.map(({ address }) => address) : []);
    });
  });
}
