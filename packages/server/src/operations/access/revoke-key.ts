import { defaultAccountId } from "../../domain/access.ts";
import type { AccessKey, Caller } from "../../domain/access.ts";
import { codes, RequestRefused } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import type { Random } from "../../platform/random.ts";
import type { Store } from "../../storage/store.ts";
import { auditNote } from "../audit/audit-note.ts";
import { keyIdPattern, rootKeyId } from "./create-key.ts";

export interface RevokeKeyOptions {
  readonly store: Pick<Store, "revokeKey">;
  readonly random: Random;
  readonly credentialsChanged: (accountId: string) => Promise<void>;
}

const keyNotFound: Problem = { code: codes.misfit, message: "No such key." };

export async function revokeKey(
  { store, random, credentialsChanged }: RevokeKeyOptions,
  caller: Caller,
  keyId: string,
): Promise<AccessKey> {
  const { accountId } = caller;
  // For every other account, this id does not exist.
  if (keyId === rootKeyId && accountId === defaultAccountId) {
    throw new RequestRefused({
      code: codes.invalidRequest,
      message:
        "The root key cannot be revoked here. Change POSTDATE_ROOT_KEY and restart the server.",
    });
  }
  if (!keyIdPattern.test(keyId)) throw new RequestRefused(keyNotFound);
  const note = auditNote(random, caller, { action: "key.revoked", accountId, subjectId: keyId });
  const revoked = await store.revokeKey(accountId, keyId, note);
  await credentialsChanged(accountId);
  if (revoked === undefined) throw new RequestRefused(keyNotFound);
  return revoked;
}
