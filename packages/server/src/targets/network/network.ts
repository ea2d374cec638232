import type { Clock } from "../../platform/clock.ts";
import { concurrentLookups } from "../../platform/thread-pool.ts";
import type { Timers } from "../../platform/timers.ts";
import type { AddressPolicy } from "./address-policy.ts";
import {
  createFilteredLookup,
  isLocalName,
  literalAddress,
  lookupWithin,
  systemHostLookup,
  type AddressLookup,
  type HostLookup,
} from "./host-lookup.ts";
import { createSharedLookup } from "./shared-lookup.ts";

export interface NetworkOptions {
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
  readonly addressPolicy: AddressPolicy;
  /** The system's look-up by default. */
  readonly lookup?: HostLookup;
}

/** How target kinds reach other machines. All kinds share one set of address rules and look-ups. */
export interface Network {
  readonly policy: AddressPolicy;
  /** Never returns an address that the policy refuses. */
  readonly lookup: AddressLookup;
  /**
   * Whether a target may name this host, as far as a look-up can tell now. A name that does not resolve is
   * allowed, because each connection is checked again.
   */
  allowsHost(hostname: string, accountId: string): Promise<boolean>;
  /** Forgets the look-ups that have not begun. */
  close(): void;
}

const checkLookupMs = 2_000;
const loopback = "127.0.0.1";

export function createNetwork(options: NetworkOptions): Network {
  const { clock, timers, addressPolicy: policy } = options;
  const names = createSharedLookup({
    lookup: options.lookup ?? systemHostLookup,
    clock,
    timers,
    places: lookupPlaces(),
  });
  const { lookup } = names;

  async function allowsHost(hostname: string, accountId: string): Promise<boolean> {
    const literal = literalAddress(hostname);
    const found =
      literal === null
        ? await lookupWithin({ lookup, timers, withinMs: checkLookupMs }, { accountId, hostname })
        : [literal];
    const addresses = found.length === 0 && isLocalName(hostname) ? [loopback] : found;
    return addresses.every((address) => policy.allows(address));
  }

  return {
    policy,
    lookup: createFilteredLookup(lookup, policy),
    allowsHost,
    close: () => names.close(),
  };
}

/** Leaves one thread, if there are enough, to the rest of the process, such as its database connections. */
function lookupPlaces(): number {
  return Math.max(2, concurrentLookups() - 1);
}
