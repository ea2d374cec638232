import type { Instant } from "./message.ts";

export const scopes = [
  "scheduler.all.read",
  "scheduler.all.readwrite",
  "scheduler.messages.read",
  "scheduler.messages.readwrite",
] as const;

export type Scope = (typeof scopes)[number];

/** What an operation asks for; each is satisfied by the scopes beside it. */
export const permissions = {
  readMessages: [
    "scheduler.all.read",
    "scheduler.all.readwrite",
    "scheduler.messages.read",
    "scheduler.messages.readwrite",
  ],
  writeMessages: ["scheduler.all.readwrite", "scheduler.messages.readwrite"],
  readAll: ["scheduler.all.read", "scheduler.all.readwrite"],
  writeAll: ["scheduler.all.readwrite"],
} as const satisfies Record<string, readonly Scope[]>;

export type Permission = keyof typeof permissions;

export function allows(granted: readonly Scope[], permission: Permission): boolean {
  const accepted: readonly Scope[] = permissions[permission];
  return granted.some((scope) => accepted.includes(scope));
}

/** Whoever calls: one account, with some scopes. */
export interface Caller {
  readonly accountId: string;
  readonly scopes: readonly Scope[];
}

/** An API key as its account may see it; the key itself is shown once and kept hashed. */
export interface AccessKey {
  readonly keyId: string;
  readonly accountId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly creationTime: Instant;
}

export const defaultAccountId = "acc_default";
