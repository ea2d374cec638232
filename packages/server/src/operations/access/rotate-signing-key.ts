import type { Operator } from "../../domain/access.ts";
import type { Random } from "../../platform/random.ts";
import type { AccessTokens, SigningKey } from "../../tokens/access-tokens.ts";
import { auditNote } from "../audit/audit-note.ts";

export interface RotateSigningKeyOptions {
  readonly tokens: Pick<AccessTokens, "rotateSigningKey">;
  readonly random: Random;
  /** Null for the credentials of every account. */
  readonly credentialsChanged: (accountId: string | null) => Promise<void>;
}

/** With `removeOld`, every token issued before is refused once this call is answered. */
export async function rotateSigningKey(
  { tokens, random, credentialsChanged }: RotateSigningKeyOptions,
  operator: Operator,
  removeOld: boolean,
): Promise<SigningKey[]> {
  try {
    return await tokens.rotateSigningKey(removeOld, (action, subjectId) =>
      auditNote(random, operator, { action, accountId: null, subjectId, detail: { removeOld } }),
    );
  } finally {
    // Also after a failure: it may have removed some keys, and their tokens must be refused.
    if (removeOld) await credentialsChanged(null);
  }
}
