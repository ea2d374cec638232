import type { Account } from "./account.ts";
import type { Instant } from "./message.ts";

export const scopes = [
  "scheduler.all.read",
  "scheduler.all.readwrite",
  "scheduler.messages.read",
  "scheduler.messages.readwrite",
] as const;

export type Scope = (typeof scopes)[number];

/** The scopes that a scope includes besides itself. */
const included: Readonly<Record<Scope, readonly Scope[]>> = {
  "scheduler.all.readwrite": scopes,
  "scheduler.all.read": ["scheduler.all.read", "scheduler.messages.read"],
  "scheduler.messages.readwrite": ["scheduler.messages.readwrite", "scheduler.messages.read"],
  "scheduler.messages.read": ["scheduler.messages.read"],
};

export function covers(granted: readonly Scope[], scope: Scope): boolean {
  return granted.some((one) => included[one].includes(scope));
}

/** The permissions that operations need, and the least scope that gives each. */
export const leastScope = {
  readMessages: "scheduler.messages.read",
  writeMessages: "scheduler.messages.readwrite",
  readAll: "scheduler.all.read",
  writeAll: "scheduler.all.readwrite",
} as const satisfies Record<string, Scope>;

export type Permission = keyof typeof leastScope;

export const permissions = Object.keys(leastScope) as readonly Permission[];

/** Any one of these scopes gives the permission. */
export function scopesFor(permission: Permission): readonly Scope[] {
  return scopes.filter((scope) => covers([scope], leastScope[permission]));
}

export function allows(granted: readonly Scope[], permission: Permission): boolean {
  return covers(granted, leastScope[permission]);
}

/** An API key, a session or an access token: one account, with some scopes. */
export interface Credential {
  /** The account as it was when the credential was looked up. */
  readonly account: Account;
  readonly scopes: readonly Scope[];
  readonly actor: Actor;
  /** Null: valid until it is revoked. */
  readonly expirationTime: Instant | null;
}

/** Who calls the service for an account. */
export interface Caller {
  readonly accountId: string;
  readonly account: Account;
  readonly scopes: readonly Scope[];
  readonly actor: Actor;
  readonly requestId: string;
}

/** Who runs the service. The operator manages accounts and belongs to none. */
export interface Operator {
  readonly actor: Actor;
  readonly requestId: string;
}

/** Who did something, for the audit log. */
export interface Actor {
  /** `subject`: a trusted issuer vouches for it. `service`: the service acts by itself. */
  readonly kind: "key" | "client" | "subject" | "operator" | "service";
  readonly id: string;
}

/** How many keys an account may make for itself. All keys are listed at once. */
export const mostKeys = 1_000;

/** An API key as its account sees it. The key itself is shown once and stored as a hash. */
export interface AccessKey {
  readonly keyId: string;
  readonly accountId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly creationTime: Instant;
}

export const defaultAccountId = "acc_default";
