import { decodeJwt, decodeProtectedHeader } from "jose";
import { scopes as knownScopes } from "../../domain/access.ts";
import type { Scope } from "../../domain/access.ts";
import type { Instant } from "../../domain/message.ts";
import { latestTime } from "../../domain/times.ts";

export type Claims = Readonly<Record<string, unknown>>;

/** The contents of a token before its signature is checked. */
export interface UnverifiedToken {
  readonly keyId: string | undefined;
  readonly type: string | undefined;
  readonly issuer: string | undefined;
}

/** Longer tokens are refused unread. */
const longestToken = 8_192;

export function readUnverified(token: string): UnverifiedToken | undefined {
  if (token.length > longestToken) return undefined;
  try {
    const { kid, typ } = decodeProtectedHeader(token);
    const { iss } = decodeJwt(token);
    return { keyId: textOf(kid), type: textOf(typ), issuer: textOf(iss) };
  } catch {
    return undefined;
  }
}

/** The text of a claim if it is fit to be stored, looked up and shown; otherwise undefined. */
export function nameIn(claims: Claims, claim: string): string | undefined {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  if (typeof value !== "string" || value.length === 0 || value.length > 255) return undefined;
  return /\p{C}/u.test(value) ? undefined : value;
}

/** Only exact names count. Other scopes in the token are meant for other services. */
export function scopesNamed(names: readonly unknown[]): Scope[] {
  return knownScopes.filter((scope) => names.includes(scope));
}

export function expirationIn({ exp }: Claims): Instant | undefined {
  if (typeof exp !== "number" || !(exp * 1_000 <= latestTime)) return undefined;
  return Math.floor(exp * 1_000);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
