import { scopes as allScopes } from "../domain/access.ts";
import type { Operator } from "../domain/access.ts";
import { RequestRefused } from "../domain/refusals.ts";
import { accountNotFound, soundAccountId } from "./account-ref.ts";
import { auditNote } from "./audit-note.ts";
import { generateKey, generateKeyId, hashKey } from "./create-key.ts";
import type { CreatedKey, CreateKeyOptions, GivenKey } from "./create-key.ts";

/** A way back in for an account that has lost its keys. */
export async function createAccountKey(
  { store, random }: CreateKeyOptions,
  operator: Operator,
  givenAccountId: string,
  given: GivenKey,
): Promise<CreatedKey> {
  const accountId = soundAccountId(givenAccountId);
  const key = generateKey(random);
  const keyId = generateKeyId(random);
  const scopes = allScopes.filter((scope) => given.scopes.includes(scope));
  const created = await store.createKey(
    { accountId, keyId, name: given.name, scopes, hash: hashKey(key) },
    auditNote(random, operator, {
      action: "key.created",
      accountId,
      subjectId: keyId,
      detail: { name: given.name, scopes },
    }),
  );
  if (created === undefined) throw new RequestRefused(accountNotFound(accountId));
  return { ...created, key };
}
