import { hash } from "node:crypto";
import { covers, scopes as allScopes } from "../domain/access.ts";
import type { AccessKey, Caller, Scope } from "../domain/access.ts";
import { RequestRefused } from "../domain/refusals.ts";
import { encodeBase32 } from "../platform/base32.ts";
import type { Random } from "../platform/random.ts";
import type { Store } from "../storage/store.ts";
import { accountGone } from "./account-gone.ts";
import { auditNote } from "./audit-note.ts";
import type { Doer } from "./audit-note.ts";
import type { KeyMarks } from "./key-marks.ts";

export interface GenerateKeyOptions {
  readonly random: Random;
  readonly keyMarks: Pick<KeyMarks, "of">;
}

export interface CreateKeyOptions extends GenerateKeyOptions {
  readonly store: Pick<Store, "createKey">;
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

/** An id that no key can have is not looked for; not every store could. */
export const keyIdPattern = /^key_[0-9a-z]{20}$/;

export function hashKey(key: string): string {
  return hash("sha256", key, "hex");
}

export function generateKey({ random, keyMarks }: GenerateKeyOptions): string {
  const key = keyPrefix + random.bytes(32).toString("base64url");
  return key + keyMarks.of(key);
}

export function generateKeyId(random: Random): string {
  return `key_${encodeBase32(random.bytes(13)).slice(-20)}`;
}

export async function createKey(
  options: CreateKeyOptions,
  caller: Caller,
  given: GivenKey,
): Promise<CreatedKey> {
  const beyond = given.scopes.filter((scope) => !covers(caller.scopes, scope));
  if (beyond.length > 0) {
    throw new RequestRefused({
      code: "E-DI-2002",
      message: `A key can grant no more than the credential that creates it; yours does not cover ${beyond.join(", ")}.`,
      field: "scopes",
    });
  }
  const created = await makeKey(options, caller, caller.accountId, given);
  if (created === undefined) throw new RequestRefused(accountGone);
  return created;
}

/** Undefined where there is no such account. Whether the one who asks may is for others to say. */
export async function makeKey(
  { store, random, keyMarks }: CreateKeyOptions,
  by: Doer,
  accountId: string,
  given: GivenKey,
): Promise<CreatedKey | undefined> {
  const key = generateKey({ random, keyMarks });
  const keyId = generateKeyId(random);
  const scopes = allScopes.filter((scope) => given.scopes.includes(scope));
  const created = await store.createKey(
    { accountId, keyId, name: given.name, scopes, hash: hashKey(key) },
    auditNote(random, by, {
      action: "key.created",
      accountId,
      subjectId: keyId,
      detail: { name: given.name, scopes },
    }),
  );
  return created && { ...created, key };
}
