import type { AccessKey, Caller } from "../domain/access.ts";
import { RequestRefused } from "../domain/refusals.ts";
import type { Store } from "../storage/store.ts";
import { rootKeyId } from "./create-key.ts";

export interface RevokeKeyOptions {
  readonly store: Pick<Store, "listKeys" | "revokeKey">;
  /** Resolves when nobody accepts the key any more, on whichever node. */
  readonly keyRevoked: (keyId: string) => Promise<void>;
}

export async function revokeKey(
  { store, keyRevoked }: RevokeKeyOptions,
  caller: Caller,
  keyId: string,
): Promise<AccessKey> {
  if (keyId === rootKeyId) {
    throw new RequestRefused({
      code: "E-DI-1001",
      message:
        "The root key cannot be revoked here. Change POSTDATE_ROOT_KEY and restart the server.",
    });
  }
  const keys = await store.listKeys(caller.accountId);
  const key = keys.find((one) => one.keyId === keyId);
  const revoked = key !== undefined && (await store.revokeKey(caller.accountId, keyId));
  await keyRevoked(keyId);
  if (!revoked) throw new RequestRefused({ code: "E-DI-1003", message: "No such key." });
  return key;
}
