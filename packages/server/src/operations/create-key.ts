import { hash } from "node:crypto";
import { scopes as allScopes } from "../domain/access.ts";
import type { AccessKey, Caller, Scope } from "../domain/access.ts";
import { RequestRefused } from "../domain/refusals.ts";
import { encodeBase32 } from "../platform/base32.ts";
import type { Random } from "../platform/random.ts";
import type { Store } from "../storage/store.ts";

export interface CreateKeyOptions {
  readonly store: Pick<Store, "createKey">;
  readonly random: Random;
}

export interface GivenKey {
  readonly name: string;
  readonly scopes: readonly Scope[];
}

export interface CreatedKey extends AccessKey {
  /** Shown this once; only its hash is kept. */
  readonly key: string;
}

export const keyPrefix = "pd_";

/** The key that the operator sets from outside; revoked, it would be back at the next start. */
export const rootKeyId = "key_root";

export function hashKey(key: string): string {
  return hash("sha256", key, "hex");
}

export function generateKey(random: Random): string {
  return keyPrefix + random.bytes(32).toString("base64url");
}

export async function createKey(
  { store, random }: CreateKeyOptions,
  caller: Caller,
  given: GivenKey,
): Promise<CreatedKey> {
  const beyond = given.scopes.filter((scope) => !covers(caller.scopes, scope));
  if (beyond.length > 0) {
    throw new RequestRefused({
      code: "E-DI-2002",
      message: `A key can grant no more than the key that creates it; yours does not cover ${beyond.join(", ")}.`,
      field: "scopes",
    });
  }
  const key = generateKey(random);
  const created = await store.createKey({
    accountId: caller.accountId,
    keyId: `key_${encodeBase32(random.bytes(13)).slice(-20)}`,
    name: given.name,
    scopes: allScopes.filter((scope) => given.scopes.includes(scope)),
    hash: hashKey(key),
  });
  return { ...created, key };
}

/** What a scope includes besides itself. */
const included: Readonly<Record<Scope, readonly Scope[]>> = {
  "scheduler.all.readwrite": allScopes,
  "scheduler.all.read": ["scheduler.all.read", "scheduler.messages.read"],
  "scheduler.messages.readwrite": ["scheduler.messages.readwrite", "scheduler.messages.read"],
  "scheduler.messages.read": ["scheduler.messages.read"],
};

function covers(granted: readonly Scope[], scope: Scope): boolean {
  return granted.some((one) => included[one].includes(scope));
}
