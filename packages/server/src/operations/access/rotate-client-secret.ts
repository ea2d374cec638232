import type { Caller } from "../../domain/access.ts";
import { RequestRefused } from "../../domain/refusals.ts";
import type { Random } from "../../platform/random.ts";
import type { Store } from "../../storage/store.ts";
import { auditNote } from "../audit/audit-note.ts";
import { clientIdPattern, clientNotFound } from "./client-ref.ts";
import { generateClientSecret } from "./create-client.ts";
import type { ClientWithSecret } from "./create-client.ts";
import { hashKey } from "./create-key.ts";

export interface RotateClientSecretOptions {
  readonly store: Pick<Store, "rotateClientSecret">;
  readonly random: Random;
}

const defaultOverlapMs = 24 * 3_600_000;

/** Tokens issued before stay valid: a token names the client and does not depend on its secret. */
export async function rotateClientSecret(
  { store, random }: RotateClientSecretOptions,
  caller: Caller,
  clientId: string,
  overlapMs: number = defaultOverlapMs,
): Promise<ClientWithSecret> {
  if (!clientIdPattern.test(clientId)) throw new RequestRefused(clientNotFound);
  const { accountId } = caller;
  const clientSecret = generateClientSecret(random);
  const rotated = await store.rotateClientSecret(
    { accountId, clientId, secretHash: hashKey(clientSecret), overlapMs },
    auditNote(random, caller, {
      action: "client.secret-rotated",
      accountId,
      subjectId: clientId,
      detail: { overlapMs },
    }),
  );
  if (rotated === undefined) throw new RequestRefused(clientNotFound);
  return { ...rotated, clientSecret };
}
