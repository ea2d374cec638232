import type { Operator } from "../../domain/access.ts";
import type { Random } from "../../platform/random.ts";
import type { AccessTokens, SigningKey } from "../../tokens/access-tokens.ts";
import { auditNote } from "../audit/audit-note.ts";

export interface RotateSigningKeyOptions {
  readonly tokens: Pick<AccessTokens, "rotateSigningKey">;
  readonly random: Random;
  /** Null: those of every account. */
  readonly credentialsChanged: (accountId: string | null) => Promise<void>;
}

/** With `removeOld`, every token that was issued before opens nothing once this has been answered. */
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
    // Where only some could be removed, these at least open nothing.
    if (removeOld) await credentialsChanged(null);
  }
}
