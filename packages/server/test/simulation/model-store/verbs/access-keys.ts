import { mostKeys } from "../../../../src/domain/access.ts";
import type { AccessKey } from "../../../../src/domain/access.ts";
import type { AuditNote } from "../../../../src/domain/audit.ts";
import type { FoundKey, NewAccessKey } from "../../../../src/storage/store.ts";
import { liveAccount } from "../database-state.ts";
import type { Context, DatabaseState } from "../database-state.ts";

export function keyVerbs({ state }: Context) {
  const { clock, accessKeys, auditLog } = state;

  return {
    createKey(key: NewAccessKey, note: AuditNote): AccessKey | "too-many" | undefined {
      if (liveAccount(state, key.accountId) === undefined) return undefined;
      const keys = accessKeys.values().filter(({ accountId }) => accountId === key.accountId);
      if (keys.toArray().length >= mostKeys) return "too-many";
      assertFree(state, key);
      auditLog.write(clock.now(), note);
      return keepKey(state, key);
    },

    replaceKey(key: NewAccessKey, note: AuditNote): AccessKey | undefined {
      if (liveAccount(state, key.accountId) === undefined) return undefined;
      const replaced = hashOf(state, key);
      if (key.hash !== replaced && accessKeys.has(key.hash)) throw new Error("another key's hash");
      auditLog.write(clock.now(), note);
      if (replaced !== undefined) endKey(state, replaced);
      return keepKey(state, key);
    },

    findKey(hash: string): FoundKey | undefined {
      const key = accessKeys.get(hash);
      const account = key && liveAccount(state, key.accountId);
      return account && { key, account };
    },

    listKeys: (accountId: string): AccessKey[] =>
      [...accessKeys.values()]
        .filter((key) => key.accountId === accountId)
        .toSorted(
          (one, other) =>
            one.creationTime - other.creationTime || (one.keyId < other.keyId ? -1 : 1),
        ),

    revokeKey(accountId: string, keyId: string, note: AuditNote): AccessKey | undefined {
      const hash = hashOf(state, { accountId, keyId });
      if (hash === undefined) return undefined;
      auditLog.write(clock.now(), note);
      return endKey(state, hash);
    },
  };
}

type KeyRef = Pick<NewAccessKey, "accountId" | "keyId">;

function hashOf({ accessKeys }: DatabaseState, { accountId, keyId }: KeyRef): string | undefined {
  return accessKeys
    .entries()
    .find(([, key]) => key.accountId === accountId && key.keyId === keyId)?.[0];
}

/** Ends its sessions too. */
export function endKey({ accessKeys, sessions }: DatabaseState, hash: string): AccessKey {
  const key = accessKeys.get(hash)!;
  accessKeys.delete(hash);
  for (const [id, { accountId, keyId }] of [...sessions]) {
    if (accountId === key.accountId && keyId === key.keyId) sessions.delete(id);
  }
  return key;
}

/** No two keys share a hash, and no two keys of one account share an id. */
export function assertFree(state: DatabaseState, key: NewAccessKey): void {
  if (state.accessKeys.has(key.hash) || hashOf(state, key) !== undefined) {
    throw new Error(`there is a key ${key.keyId} already`);
  }
}

export function keepKey({ clock, accessKeys }: DatabaseState, key: NewAccessKey): AccessKey {
  const { hash, ...visible } = key;
  const made = { ...visible, creationTime: clock.now() };
  accessKeys.set(hash, made);
  return made;
}
