import { covers, scopes as allScopes } from "../../domain/access.ts";
import type { Caller, Scope } from "../../domain/access.ts";
import { mostClients } from "../../domain/client.ts";
import type { Client } from "../../domain/client.ts";
import { codes, RequestRefused } from "../../domain/refusals.ts";
import { encodeBase32 } from "../../platform/base32.ts";
import type { Random } from "../../platform/random.ts";
import type { Store } from "../../storage/store.ts";
import { accountGone } from "./account-gone.ts";
import { auditNote } from "../audit/audit-note.ts";
import { hashKey } from "./create-key.ts";

export interface CreateClientOptions {
  readonly store: Pick<Store, "createClient">;
  readonly random: Random;
}

export interface GivenClient {
  readonly name: string;
  readonly scopes: readonly Scope[];
}

export interface ClientWithSecret extends Client {
  /** Shown only once. The store keeps only its hash. */
  readonly clientSecret: string;
}

export function generateClientSecret(random: Random): string {
  return `pds_${random.bytes(32).toString("base64url")}`;
}

export async function createClient(
  { store, random }: CreateClientOptions,
  caller: Caller,
  given: GivenClient,
): Promise<ClientWithSecret> {
  const beyond = given.scopes.filter((scope) => !covers(caller.scopes, scope));
  if (beyond.length > 0) {
    throw new RequestRefused({
      code: codes.insufficientScope,
      message: `A client can have no scopes beyond those of the credential that creates it. Yours does not cover ${beyond.join(", ")}.`,
      field: "scopes",
    });
  }
  const { accountId } = caller;
  const { name } = given;
  const clientId = `cli_${encodeBase32(random.bytes(13)).slice(-20)}`;
  const clientSecret = generateClientSecret(random);
  const scopes = allScopes.filter((scope) => given.scopes.includes(scope));
  const created = await store.createClient(
    { accountId, clientId, name, scopes, secretHash: hashKey(clientSecret) },
    auditNote(random, caller, {
      action: "client.created",
      accountId,
      subjectId: clientId,
      detail: { name, scopes },
    }),
  );
  if (created === undefined) throw new RequestRefused(accountGone);
  if (created === "too-many") {
    throw new RequestRefused({
      code: codes.tooManyCredentials,
      message: `The account has ${mostClients} clients, which is the most it may have. Remove one that is not in use, then create this one.`,
    });
  }
  return { ...created, clientSecret };
}
