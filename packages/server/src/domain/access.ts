import type { Account } from "./account.ts";
import type { Instant } from "./message.ts";

export const scopes = [
  "scheduler.all.read",
  "scheduler.all.readwrite",
  "scheduler.messages.read",
  "scheduler.messages.readwrite",
] as const;

export type Scope = (typeof scopes)[number];

/** What a scope includes besides itself. */
const included: Readonly<Record<Scope, readonly Scope[]>> = {
  "scheduler.all.readwrite": scopes,
  "scheduler.all.read": ["scheduler.all.read", "scheduler.messages.read"],
  "scheduler.messages.readwrite": ["scheduler.messages.readwrite", "scheduler.messages.read"],
  "scheduler.messages.read": ["scheduler.messages.read"],
};

export function covers(granted: readonly Scope[], scope: Scope): boolean {
  return granted.some((one) => included[one].includes(scope));
}

/** What an operation asks for, and the least scope that gives it. */
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

/** What a key or an access token stands for: one account, with some scopes. */
export interface Credential {
  /** As it was when the credential was looked up. */
  readonly account: Account;
  readonly scopes: readonly Scope[];
  readonly actor: Actor;
  /** Null where it holds until it is revoked. */
  readonly expirationTime: Instant | null;
}

/** Whoever calls. */
export interface Caller {
  readonly accountId: string;
  readonly account: Account;
  readonly scopes: readonly Scope[];
  readonly actor: Actor;
  readonly requestId: string;
}

/** Whoever runs the service. Manages accounts, and belongs to none. */
export interface Operator {
  readonly actor: Actor;
  readonly requestId: string;
}

/** Who did something, as the audit log names them. */
export interface Actor {
  /** `subject` is whom a trusted issuer vouches for, `service` what the service does by itself. */
  readonly kind: "key" | "client" | "subject" | "operator" | "service";
  readonly id: string;
}

/** How many keys an account may make for itself. They are listed in one piece. */
export const mostKeys = 1_000;

/** An API key as its account may see it; the key itself is shown once and kept hashed. */
export interface AccessKey {
  readonly keyId: string;
  readonly accountId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly creationTime: Instant;
}

export const defaultAccountId = "acc_default";
