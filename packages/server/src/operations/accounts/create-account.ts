import type { Operator } from "../../domain/access.ts";
import { accountIdPattern } from "../../domain/account.ts";
import type { Account } from "../../domain/account.ts";
import type { AuditDetail } from "../../domain/audit.ts";
import type { RateLimit } from "../../domain/rate-limit.ts";
import { codes, RequestRefused } from "../../domain/refusals.ts";
import { encodeBase32 } from "../../platform/base32.ts";
import type { Store } from "../../storage/store.ts";
import { auditNote } from "../audit/audit-note.ts";
import { generateKey, generateKeyId, hashKey } from "../access/create-key.ts";
import type { GenerateKeyOptions } from "../access/create-key.ts";
import { limitDetail } from "./limit-detail.ts";

export interface CreateAccountOptions extends GenerateKeyOptions {
  readonly store: Pick<Store, "createAccount">;
}

/** A limit that is left out gets the default for new accounts. */
export interface GivenAccount {
  readonly accountId?: string | undefined;
  readonly name?: string | undefined;
  readonly monthlyMessageLimit?: number | null | undefined;
  readonly requestLimit?: RateLimit | null | undefined;
}

export interface CreatedAccount extends Account {
  /** The first key of the account, shown only once. */
  readonly key: string;
}

const firstKeyName = "first key";
const firstKeyScopes = ["scheduler.all.readwrite"] as const;

export async function createAccount(
  { store, random, keyMarks }: CreateAccountOptions,
  operator: Operator,
  given: GivenAccount,
): Promise<CreatedAccount> {
  const accountId = given.accountId ?? `acc_${encodeBase32(random.bytes(13)).slice(-20)}`;
  if (!accountIdPattern.test(accountId)) {
    throw new RequestRefused({
      code: codes.invalidRequest,
      message: "accountId must be 1 to 64 letters, digits, _ and -.",
      field: "accountId",
    });
  }
  const { name = accountId, monthlyMessageLimit, requestLimit } = given;
  const key = generateKey({ random, keyMarks });
  const keyId = generateKeyId(random);
  const made = (subjectId: string, action: "account.created" | "key.created", more: AuditDetail) =>
    auditNote(random, operator, { action, accountId, subjectId, detail: more });
  const account = await store.createAccount(
    { accountId, name, monthlyMessageLimit, requestLimit },
    { keyId, name: firstKeyName, scopes: firstKeyScopes, hash: hashKey(key) },
    [
      made(accountId, "account.created", { name, ...limitDetail(given) }),
      made(keyId, "key.created", { name: firstKeyName, scopes: firstKeyScopes }),
    ],
  );
  if (account === "exists") {
    throw new RequestRefused({
      code: codes.accountExists,
      message: `An account "${accountId}" exists, or existed before. Choose another accountId, or leave it out.`,
      field: "accountId",
    });
  }
  return { ...account, key };
}
