import {
  ADDRCONFIG,
  lookup as systemLookup,
  type LookupAddress,
  type LookupAllOptions,
} from "node:dns";
import { isIP } from "node:net";
import type { Timers } from "../../platform/timers.ts";
import type { AddressPolicy } from "./address-policy.ts";
import { AddressRefused, LookupFailed } from "./network-failures.ts";

/** The signature of `dns.lookup` when asked for all addresses of a name. */
export type HostLookup = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export const systemHostLookup: HostLookup = systemLookup;

/** The address in a URL's host, without brackets. Null if the host is a name. */
export function literalAddress(hostname: string): string | null {
  const bare = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  return isIP(bare) === 0 ? null : bare;
}

/** A name that always means this machine (RFC 6761), even if the resolver does not know it. */
export function isLocalName(hostname: string): boolean {
  return /(?:^|\.)localhost\.?$/i.test(hostname);
}

/** The name to look up, and the account that asks. */
export interface NameQuestion {
  /** Accounts share the look-ups fairly. */
  readonly accountId: string;
  readonly hostname: string;
  /** As `dns.lookup` takes them. */
  readonly hints?: number;
}

/** Answers with every address of a name. */
export type NameLookup = (
  question: NameQuestion,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** Answers with the addresses to connect to, in order of preference. */
export type AddressLookup = (
  question: NameQuestion,
  callback: (error: Error | null, addresses: string[]) => void,
) => void;

/** Leaves out addresses of a family that this machine does not have. Windows does this by itself. */
const hints = process.platform === "win32" ? 0 : ADDRCONFIG;

/** A look-up for connections. It never returns an address that the policy refuses. */
export function createFilteredLookup(lookup: NameLookup, policy: AddressPolicy): AddressLookup {
  return (question, callback) => {
    const { hostname } = question;
    lookup({ ...question, hints }, (error, addresses) => {
      if (error !== null) return callback(new LookupFailed(hostname, error), []);
      if (addresses.length === 0) return callback(new LookupFailed(hostname), []);
      const allowed = addresses.filter(({ address }) => policy.allows(address));
      if (allowed.length === 0) return callback(new AddressRefused(hostname), []);
      callback(null, inTurnByFamily(allowed));
    });
  };
}

/**
 * Keeps the system's order but alternates the families, because one of them may have no route (RFC 8305,
 * section 4).
 */
function inTurnByFamily(addresses: readonly LookupAddress[]): string[] {
  const family = addresses[0]?.family;
  const preferred = addresses.filter((one) => one.family === family);
  const others = addresses.filter((one) => one.family !== family);
  const inTurn = preferred.flatMap((one, index) => [one, ...others.slice(index, index + 1)]);
  return [...inTurn, ...others.slice(preferred.length)].map(({ address }) => address);
}

export interface LookupWithinOptions {
  readonly lookup: NameLookup;
  readonly timers: Timers;
  readonly withinMs: number;
}

/** The addresses of a name. Empty if the name does not resolve, or not in time. */
export function lookupWithin(
  { lookup, timers, withinMs }: LookupWithinOptions,
  question: NameQuestion,
): Promise<readonly string[]> {
  return new Promise((resolve) => {
    const timer = timers.after(withinMs, () => resolve([]));
    lookup(question, (error, addresses) => {
      timer.cancel();
      resolve(error === null ? addresses.map(({ address }) => address) : []);
    });
  });
}
