import { hash } from "node:crypto";
import { covers, mostKeys, scopes as allScopes } from "../../domain/access.ts";
import type { AccessKey, Caller, Scope } from "../../domain/access.ts";
import type { AuditNote } from "../../domain/audit.ts";
import { codes, RequestRefused } from "../../domain/refusals.ts";
import { encodeBase32 } from "../../platform/base32.ts";
import type { Random } from "../../platform/random.ts";
import type { NewAccessKey, Store } from "../../storage/store.ts";
import { accountGone } from "../accounts/account-gone.ts";
import { auditNote } from "../audit/audit-note.ts";
import type { AuditedActor } from "../audit/audit-note.ts";
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
      code: codes.insufficientScope,
      message: `A key can grant no more than the credential that creates it; yours does not cover ${beyond.join(", ")}.`,
      field: "scopes",
    });
  }
  const { key, kept, note } = draftKey(options, caller, caller.accountId, given);
  const created = await options.store.createKey(kept, note);
  if (created === undefined) throw new RequestRefused(accountGone);
  if (created === "too-many") {
    throw new RequestRefused({
      code: codes.tooManyCredentials,
      message: `The account has ${mostKeys} keys, and that is as many as it may have. Revoke one that nobody uses, then create this one.`,
    });
  }
  return { ...created, key };
}

export interface KeyDraft {
  readonly key: string;
  readonly kept: NewAccessKey;
  readonly note: AuditNote;
}

/** A key to be kept. Whether the one who asks may is for others to say. */
export function draftKey(
  { random, keyMarks }: GenerateKeyOptions,
  by: AuditedActor,
  accountId: string,
  given: GivenKey,
): KeyDraft {
  const key = generateKey({ random, keyMarks });
  const keyId = generateKeyId(random);
  const scopes = allScopes.filter((scope) => given.scopes.includes(scope));
  return {
    key,
    kept: { accountId, keyId, name: given.name, scopes, hash: hashKey(key) },
    note: auditNote(random, by, {
      action: "key.created",
      accountId,
      subjectId: keyId,
      detail: { name: given.name, scopes },
    }),
  };
}
