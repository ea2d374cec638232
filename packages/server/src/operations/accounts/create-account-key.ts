import type { Operator } from "../../domain/access.ts";
import { RequestRefused } from "../../domain/refusals.ts";
import { accountNotFound, soundAccountId } from "./account-ref.ts";
import type { Store } from "../../storage/store.ts";
import { draftKey } from "../access/create-key.ts";
import type { CreatedKey, GenerateKeyOptions, GivenKey } from "../access/create-key.ts";

export interface CreateAccountKeyOptions extends GenerateKeyOptions {
  readonly store: Pick<Store, "replaceKey">;
}

/** Gives an account that has lost its keys a new one, even if it already has the most it may have. */
export async function createAccountKey(
  options: CreateAccountKeyOptions,
  operator: Operator,
  givenAccountId: string,
  given: GivenKey,
): Promise<CreatedKey> {
  const accountId = soundAccountId(givenAccountId);
  const { key, kept, note } = draftKey(options, operator, accountId, given);
  const created = await options.store.replaceKey(kept, note);
  if (created === undefined) throw new RequestRefused(accountNotFound(accountId));
  return { ...created, key };
}
