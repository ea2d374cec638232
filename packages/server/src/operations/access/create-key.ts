import { hash } from "node:crypto";
import { covers, mostKeys, scopes as allScopes } from "../../domain/access.ts";
import type { AccessKey, Caller, Scope } from "../../domain/access.ts";
import type { AuditNote } from "../../domain/audit.ts";
import { codes, RequestRefused } from "../../domain/refusals.ts";
import { encodeBase32 } from "../../platform/base32.ts";
import type { Random } from "../../platform/random.ts";
import type { NewAccessKey, Store } from "../../storage/store.ts";
import { accountGone } from "./account-gone.ts";
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
  /** Shown only once. The store keeps only its hash. */
  readonly key: string;
}

export const keyPrefix = "pd_";

/** The operator sets this key in the configuration. A revoked root key would come back at the next start. */
export const rootKeyId = "key_root";

/** Operations do not look up a malformed id: some stores cannot search for such text. */
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
      message: `A key can have no scopes beyond those of the credential that creates it. Yours does not cover ${beyond.join(", ")}.`,
      field: "scopes",
    });
  }
  const { key, kept, note } = draftKey(options, caller, caller.accountId, given);
  const created = await options.store.createKey(kept, note);
  if (created === undefined) throw new RequestRefused(accountGone);
  if (created === "too-many") {
    throw new RequestRefused({
      code: codes.tooManyCredentials,
      message: `The account has ${mostKeys} keys, which is the most it may have. Revoke one that is not in use, then create this one.`,
    });
  }
  return { ...created, key };
}

export interface KeyDraft {
  readonly key: string;
  readonly kept: NewAccessKey;
  readonly note: AuditNote;
}

/** Makes a key for the store to keep. The caller of this function checks whether the actor may have it. */
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
