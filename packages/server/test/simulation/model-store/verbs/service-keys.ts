import type { AuditNote } from "../../../../src/domain/audit.ts";
import type { KeptSigningKey } from "../../../../src/storage/store.ts";
import type { Context } from "../database-state.ts";

/** The signing keys of the service. */
export function serviceKeyVerbs({ state }: Context) {
  const { clock, signingKeys, auditLog } = state;
  return {
    listSigningKeys: (): KeptSigningKey[] => signingKeys.toReversed(),

    addSigningKey(
      key: Omit<KeptSigningKey, "creationTime">,
      newest: string | null,
      note: AuditNote,
    ): boolean {
      const last = signingKeys.at(-1);
      if ((last?.keyId ?? null) !== newest) return false;
      const creationTime = Math.max(clock.now(), (last?.creationTime ?? 0) + 1);
      auditLog.write(clock.now(), note);
      signingKeys.push({ ...key, creationTime });
      return true;
    },

    removeSigningKey(keyId: string, note: AuditNote): boolean {
      const index = signingKeys.findIndex((key) => key.keyId === keyId);
      if (index < 0) return false;
      auditLog.write(clock.now(), note);
      signingKeys.splice(index, 1);
      return true;
    },

    ping: (): void => {},
  };
}
