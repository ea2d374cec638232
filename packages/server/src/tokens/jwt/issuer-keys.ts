import { createLocalJWKSet } from "jose";
import type { JSONWebKeySet } from "jose";
import type { TrustedIssuer } from "../../domain/trusted-issuer.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Timers } from "../../platform/timers.ts";
import { IssuerUnreachable } from "../access-tokens.ts";
import { fetchDocument } from "./fetch-document.ts";
import { createRememberedRead } from "../../platform/remembered-read.ts";
import type { RememberedRead } from "../../platform/remembered-read.ts";

export interface IssuerKeysOptions {
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
}

export type KeySet = ReturnType<typeof createLocalJWKSet>;

const timeoutMs = 3_000;
const minuteMs = 60_000;
const mostWaiting = 8;

/**
 * The published keys of a trusted issuer. They are read again every few minutes, and at once for a
 * token with an unknown key. While the issuer cannot be reached, known keys stay in use for an hour.
 * Anybody can invent a key id, so only a few requests may wait for such a read.
 */
export function createIssuerKeys(
  { issuer, jwksUri }: Pick<TrustedIssuer, "issuer" | "jwksUri">,
  { clock, timers }: IssuerKeysOptions,
): RememberedRead<KeySet> {
  const document = (url: string): Promise<unknown> => fetchDocument(url, { timers, timeoutMs });
  let discovered: string | null = null;

  const read = async (): Promise<KeySet> => {
    try {
      discovered ??= jwksUri ?? (await discover(issuer, document));
      return createLocalJWKSet((await document(discovered)) as JSONWebKeySet);
    } catch (error) {
      // The issuer may have moved its keys.
      discovered = null;
      throw new IssuerUnreachable(issuer, reasonOf(error), { cause: error });
    }
  };
  return createRememberedRead({
    read,
    clock,
    timers,
    freshMs: 10 * minuteMs,
    usableMs: 60 * minuteMs,
    spacingMs: 1_000,
    mostWaiting,
  });
}

/** Finds where the issuer publishes its keys, by OpenID Connect Discovery or RFC 8414. */
async function discover(
  issuer: string,
  document: (url: string) => Promise<unknown>,
): Promise<string> {
  const base = new URL(issuer);
  const path = base.pathname.replace(/\/$/, "");
  const { origin } = base;
  let metadata: unknown;
  try {
    metadata = await document(`${origin}${path}/.well-known/openid-configuration`);
  } catch {
    metadata = await document(`${origin}/.well-known/oauth-authorization-server${path}`);
  }
  const { issuer: named, jwks_uri: found } = Object(metadata) as Record<string, unknown>;
  if (named !== issuer) throw new Error(`its metadata names the issuer ${String(named)}`);
  const address = typeof found === "string" ? URL.parse(found) : null;
  if (address === null || ![base.protocol, "https:"].includes(address.protocol)) {
    throw new Error("its metadata has no usable jwks_uri");
  }
  return address.href;
}

/** `fetch` hides the reason behind "fetch failed". */
function reasonOf(error: unknown): string {
  const innermost = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return innermost instanceof Error ? innermost.message : String(innermost);
}
