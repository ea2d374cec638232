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

/** Who wants to know the addresses of which name. */
export interface NameQuestion {
  /** Look-ups are shared out among accounts. */
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

/** Answers with the addresses to connect to, the most wanted first. */
export type AddressLookup = (
  question: NameQuestion,
  callback: (error: Error | null, addresses: string[]) => void,
) => void;

/** Leaves out the addresses of a family that this machine has none of. Windows does so by itself. */
const hints = process.platform === "win32" ? 0 : ADDRCONFIG;

/** A look-up for connections that never yields an address the policy refuses. */
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

/** The system's order, with the families in turn: one of them may have no way out (RFC 8305, section 4). */
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

/** What a name resolves to; nothing where it does not, or not in time. */
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
