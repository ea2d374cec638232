import type { Operator } from "../domain/access.ts";
import { RequestRefused } from "../domain/refusals.ts";
import { accountNotFound, soundAccountId } from "./account-ref.ts";
import { makeKey } from "./create-key.ts";
import type { CreatedKey, CreateKeyOptions, GivenKey } from "./create-key.ts";

/** A way back in for an account that has lost its keys. */
export async function createAccountKey(
  options: CreateKeyOptions,
  operator: Operator,
  givenAccountId: string,
  given: GivenKey,
): Promise<CreatedKey> {
  const accountId = soundAccountId(givenAccountId);
  const created = await makeKey(options, operator, accountId, given);
  if (created === undefined) throw new RequestRefused(accountNotFound(accountId));
  return created;
}
