import type { Store } from "../store.ts";
import type { Context } from "./context.ts";
import type { Deferred } from "./deferred.ts";
import { createKey, findKey, listKeys, replaceKey, revokeKey } from "./queries/access-keys.ts";
import {
  createAccount,
  ensureAccount,
  getAccount,
  listAccounts,
  updateAccount,
} from "./queries/accounts.ts";
import { listAuditEntries } from "./queries/audit-entries.ts";
import { cancelMessage, rescheduleMessage } from "./queries/change-message.ts";
import { claimDue } from "./queries/claim-due.ts";
import {
  createClient,
  findClient,
  getClient,
  listClients,
  removeClient,
  rotateClientSecret,
} from "./queries/clients.ts";
import { encryptionCheck, keepEncryptionCheck } from "./queries/encryption-check.ts";
import { join, listNodes } from "./queries/nodes.ts";
import { listDeadLetters, listScheduledMessages } from "./queries/list-messages.ts";
import { getMessage, getPayload, listAttempts } from "./queries/read-message.ts";
import { recordAttempts, releaseClaims } from "./queries/record-attempts.ts";
import { removeAccount } from "./queries/remove-account.ts";
import { removeExpired } from "./queries/remove-expired.ts";
import { scheduleMessages } from "./queries/schedule-messages.ts";
import { addSigningKey, listSigningKeys, removeSigningKey } from "./queries/signing-keys.ts";
import { takeRequests } from "./queries/take-requests.ts";
import { beginTest, endTest } from "./queries/target-tests.ts";
import { getUsage } from "./queries/usage.ts";
import { upcoming, upcomingByTarget } from "./queries/upcoming.ts";
import {
  createTarget,
  getTarget,
  getTargetByKey,
  listTargets,
  removeTarget,
  updateTarget,
} from "./queries/targets.ts";
import { findTokenHolder, revokeToken } from "./queries/tokens.ts";

/** What of the port needs the database. Nobody else is on it, so lives end with the process alone. */
export type VerbName = Exclude<
  keyof Store,
  "close" | "clock" | "sharing" | "renew" | "leave" | "endDeadLives"
>;

/** The port's verbs as they run beside the database: at once, or deferred to the end of an attempt. */
export type Verbs = {
  readonly [Name in VerbName]: (
    ...args: Parameters<Store[Name]>
  ) => Awaited<ReturnType<Store[Name]>> | Deferred<Awaited<ReturnType<Store[Name]>>>;
};

/** Verbs that write to the database, and so need a commit. */
export const writes: Readonly<Record<VerbName, boolean>> = {
  scheduleMessages: true,
  getMessage: false,
  getPayload: false,
  listAttempts: false,
  cancelMessage: true,
  rescheduleMessage: true,
  listScheduledMessages: false,
  listDeadLetters: false,
  join: true,
  listNodes: false,
  upcoming: false,
  upcomingByTarget: false,
  claimDue: false,
  recordAttempts: true,
  releaseClaims: true,
  removeExpired: true,
  createTarget: true,
  getTarget: false,
  getTargetByKey: false,
  listTargets: false,
  updateTarget: true,
  removeTarget: true,
  beginTest: true,
  endTest: false,
  ensureAccount: true,
  createAccount: true,
  getAccount: false,
  listAccounts: false,
  updateAccount: true,
  removeAccount: true,
  getUsage: false,
  takeRequests: false,
  listAuditEntries: false,
  createKey: true,
  replaceKey: true,
  findKey: false,
  listKeys: false,
  revokeKey: true,
  createClient: true,
  findClient: false,
  getClient: false,
  listClients: false,
  rotateClientSecret: true,
  removeClient: true,
  findTokenHolder: false,
  revokeToken: true,
  listSigningKeys: false,
  addSigningKey: true,
  removeSigningKey: true,
  encryptionCheck: false,
  keepEncryptionCheck: true,
  ping: false,
  counts: false,
};

export function createVerbs(context: Context): Verbs {
  return {
    scheduleMessages: scheduleMessages(context),
    getMessage: getMessage(context),
    getPayload: getPayload(context),
    listAttempts: listAttempts(context),
    cancelMessage: cancelMessage(context),
    rescheduleMessage: rescheduleMessage(context),
    listScheduledMessages: listScheduledMessages(context),
    listDeadLetters: listDeadLetters(context),
    join: join(context),
    listNodes: listNodes(context),
    upcoming: upcoming(context),
    upcomingByTarget: upcomingByTarget(context),
    claimDue: claimDue(context),
    recordAttempts: recordAttempts(context),
    releaseClaims: releaseClaims(context),
    removeExpired: removeExpired(context),
    createTarget: createTarget(context),
    getTarget: getTarget(context),
    getTargetByKey: getTargetByKey(context),
    listTargets: listTargets(context),
    updateTarget: updateTarget(context),
    removeTarget: removeTarget(context),
    beginTest: beginTest(context),
    endTest: endTest(context),
    ensureAccount: ensureAccount(context),
    createAccount: createAccount(context),
    getAccount: getAccount(context),
    listAccounts: listAccounts(context),
    updateAccount: updateAccount(context),
    removeAccount: removeAccount(context),
    getUsage: getUsage(context),
    takeRequests: takeRequests(context),
    listAuditEntries: listAuditEntries(context),
    createKey: createKey(context),
    replaceKey: replaceKey(context),
    findKey: findKey(context),
    listKeys: listKeys(context),
    revokeKey: revokeKey(context),
    createClient: createClient(context),
    findClient: findClient(context),
    getClient: getClient(context),
    listClients: listClients(context),
    rotateClientSecret: rotateClientSecret(context),
    removeClient: removeClient(context),
    findTokenHolder: findTokenHolder(context),
    revokeToken: revokeToken(context),
    listSigningKeys: listSigningKeys(context),
    addSigningKey: addSigningKey(context),
    removeSigningKey: removeSigningKey(context),
    encryptionCheck: encryptionCheck(context),
    keepEncryptionCheck: keepEncryptionCheck(context),
    ping: () => undefined,
    counts: () => ({ pending: context.messages.pending }),
  };
}
