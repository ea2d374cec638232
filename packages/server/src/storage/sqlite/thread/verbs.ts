import type { Store } from "../../store.ts";
import type { Context } from "../queries/context.ts";
import type { ReadingVerbName } from "../reading/reading-verbs.ts";
import type { Deferred } from "../queries/deferred.ts";
import { createKey, findKey, listKeys, replaceKey, revokeKey } from "../queries/access-keys.ts";
import {
  createAccount,
  ensureAccount,
  getAccount,
  listAccounts,
  updateAccount,
} from "../queries/accounts.ts";
import { listAuditEntries } from "../queries/audit-entries.ts";
import { cancelMessage, rescheduleMessage } from "../queries/change-message.ts";
import { claimDue } from "../queries/claim-due.ts";
import {
  createClient,
  findClient,
  getClient,
  listClients,
  removeClient,
  rotateClientSecret,
} from "../queries/clients.ts";
import { advanceRotation } from "../queries/encryption/advance-rotation.ts";
import { encryptionCheck, keepEncryptionCheck } from "../queries/encryption/encryption-check.ts";
import { encryptionState, useEncryptionKey } from "../queries/encryption/encryption-keys.ts";
import { join, listNodes } from "../queries/nodes.ts";
import {
  createEndpoint,
  getEndpoint,
  listEndpoints,
  removeEndpoint,
  updateEndpoint,
} from "../queries/events/endpoints.ts";
import { findPosition, logSpans, marksAt, readEvents } from "../queries/events/read-events.ts";
import { removeOldEvents } from "../queries/events/remove-old-events.ts";
import { recordBatch, takeWebhooks } from "../queries/events/webhooks.ts";
import { endOutrun } from "../queries/end-outrun.ts";
import { findMessages } from "../queries/find-messages.ts";
import { advanceJob } from "../queries/jobs/advance-job.ts";
import { lookForBackfill } from "../queries/jobs/backfill.ts";
import { changeJob } from "../queries/jobs/change-job.ts";
import { createJob } from "../queries/jobs/create-job.ts";
import { lookForJob } from "../queries/jobs/look-for-job.ts";
import { getJob, listJobs } from "../queries/jobs/read-jobs.ts";
import { takeJobs } from "../queries/jobs/take-jobs.ts";
import { listDeadLetters, listScheduledMessages } from "../queries/list-messages.ts";
import { findByKey, getMessage, getPayload, listAttempts } from "../queries/read-message.ts";
import { recordAttempts, releaseClaims } from "../queries/record-attempts.ts";
import { removeAccount } from "../queries/remove-account.ts";
import { removeExpired } from "../queries/remove-expired.ts";
import { advanceSchedules } from "../queries/schedules/advance-schedules.ts";
import { changeSchedule } from "../queries/schedules/change-schedule.ts";
import { createSchedule } from "../queries/schedules/create-schedule.ts";
import { judgeRuns } from "../queries/schedules/judge-runs.ts";
import { getSchedule, listRuns, listSchedules } from "../queries/schedules/read-schedules.ts";
import { removeSchedule } from "../queries/schedules/remove-schedule.ts";
import { scheduleMessages } from "../queries/schedule-messages.ts";
import { createSession, endSession, findSession } from "../queries/sessions.ts";
import { addSigningKey, listSigningKeys, removeSigningKey } from "../queries/signing-keys.ts";
import { addActivity } from "../queries/stats/add-activity.ts";
import { countInFlight } from "../queries/stats/count-in-flight.ts";
import { takeRequests } from "../queries/take-requests.ts";
import { beginTest, endTest } from "../queries/target-tests.ts";
import { getUsage } from "../queries/usage.ts";
import { upcoming, upcomingByTarget } from "../queries/upcoming.ts";
import {
  createTarget,
  getTarget,
  getTargetByKey,
  listTargets,
  removeTarget,
  updateTarget,
} from "../queries/targets.ts";
import { findTokenHolder, revokeToken } from "../queries/tokens.ts";

/**
 * The verbs of the port that need the database, and this thread. No other process uses the database, so a
 * membership ends only with the process.
 */
export type VerbName = Exclude<
  keyof Store,
  | "close"
  | "clock"
  | "sharing"
  | "waitingCalls"
  | "renew"
  | "leave"
  | "endLapsedMemberships"
  | ReadingVerbName
>;

/** One verb of the port. */
interface Verb<Name extends VerbName> {
  /** Prepares the statements once. The returned function runs on the database's thread. */
  readonly run: (context: Context) => Run<Name>;
  /** Whether it writes to the database, and so needs a commit. */
  readonly writes: boolean;
  /** Deliveries depend on it, so no caller's call goes before it. */
  readonly goesFirst?: true;
}

/** The answer comes at once, or is deferred to the end of an attempt. */
type Run<Name extends VerbName> = (
  ...args: Parameters<Store[Name]>
) => Awaited<ReturnType<Store[Name]>> | Deferred<Awaited<ReturnType<Store[Name]>>>;

export const verbs: { readonly [Name in VerbName]: Verb<Name> } = {
  scheduleMessages: { run: scheduleMessages, writes: true },
  getMessage: { run: getMessage, writes: false },
  findByKey: { run: findByKey, writes: false },
  getPayload: { run: getPayload, writes: false },
  listAttempts: { run: listAttempts, writes: false },
  cancelMessage: { run: cancelMessage, writes: true },
  rescheduleMessage: { run: rescheduleMessage, writes: true },
  listScheduledMessages: { run: listScheduledMessages, writes: false },
  listDeadLetters: { run: listDeadLetters, writes: false },
  findMessages: { run: findMessages, writes: false },
  createJob: { run: createJob, writes: true },
  lookForJob: { run: lookForJob, writes: false },
  lookForBackfill: { run: lookForBackfill, writes: false },
  getJob: { run: getJob, writes: false },
  listJobs: { run: listJobs, writes: false },
  changeJob: { run: changeJob, writes: true },
  takeJobs: { run: takeJobs, writes: false, goesFirst: true },
  // Jobs take their turns beside callers: a delivery is never behind one.
  advanceJob: { run: advanceJob, writes: true },
  createSchedule: { run: createSchedule, writes: true },
  changeSchedule: { run: changeSchedule, writes: true },
  removeSchedule: { run: removeSchedule, writes: true },
  getSchedule: { run: getSchedule, writes: false },
  listSchedules: { run: listSchedules, writes: false },
  listRuns: { run: listRuns, writes: false },
  // Runs are made ahead of their time, so these need not go before callers either.
  advanceSchedules: { run: advanceSchedules, writes: true },
  judgeRuns: { run: judgeRuns, writes: true },
  createEndpoint: { run: createEndpoint, writes: true },
  getEndpoint: { run: getEndpoint, writes: false },
  listEndpoints: { run: listEndpoints, writes: false },
  updateEndpoint: { run: updateEndpoint, writes: true },
  removeEndpoint: { run: removeEndpoint, writes: true },
  readEvents: { run: readEvents, writes: false },
  marksAt: { run: marksAt, writes: false },
  findPosition: { run: findPosition, writes: false },
  logSpans: { run: logSpans, writes: false },
  // Each commit has written its events into their logs.
  moveEvents: { run: () => () => ({ moved: 0, waitedMs: null }), writes: false },
  removeOldEvents: { run: removeOldEvents, writes: true },
  takeWebhooks: { run: takeWebhooks, writes: false },
  recordBatch: { run: recordBatch, writes: true },
  // Not with the engine's calls: no delivery waits for statistics.
  addActivity: { run: addActivity, writes: true },
  countInFlight: { run: countInFlight, writes: false },
  join: { run: join, writes: true, goesFirst: true },
  listNodes: { run: listNodes, writes: false },
  upcoming: { run: upcoming, writes: false, goesFirst: true },
  upcomingByTarget: { run: upcomingByTarget, writes: false, goesFirst: true },
  claimDue: { run: claimDue, writes: false, goesFirst: true },
  recordAttempts: { run: recordAttempts, writes: true, goesFirst: true },
  releaseClaims: { run: releaseClaims, writes: true, goesFirst: true },
  endOutrun: { run: endOutrun, writes: true, goesFirst: true },
  removeExpired: { run: removeExpired, writes: true },
  createTarget: { run: createTarget, writes: true },
  getTarget: { run: getTarget, writes: false },
  getTargetByKey: { run: getTargetByKey, writes: false, goesFirst: true },
  listTargets: { run: listTargets, writes: false },
  updateTarget: { run: updateTarget, writes: true },
  removeTarget: { run: removeTarget, writes: true },
  beginTest: { run: beginTest, writes: true },
  endTest: { run: endTest, writes: false, goesFirst: true },
  ensureAccount: { run: ensureAccount, writes: true },
  createAccount: { run: createAccount, writes: true },
  getAccount: { run: getAccount, writes: false },
  listAccounts: { run: listAccounts, writes: false },
  updateAccount: { run: updateAccount, writes: true },
  removeAccount: { run: removeAccount, writes: true },
  getUsage: { run: getUsage, writes: false },
  takeRequests: { run: takeRequests, writes: false },
  listAuditEntries: { run: listAuditEntries, writes: false },
  createKey: { run: createKey, writes: true },
  replaceKey: { run: replaceKey, writes: true },
  findKey: { run: findKey, writes: false },
  listKeys: { run: listKeys, writes: false },
  revokeKey: { run: revokeKey, writes: true },
  createSession: { run: createSession, writes: true },
  findSession: { run: findSession, writes: false },
  endSession: { run: endSession, writes: true },
  createClient: { run: createClient, writes: true },
  findClient: { run: findClient, writes: false },
  getClient: { run: getClient, writes: false },
  listClients: { run: listClients, writes: false },
  rotateClientSecret: { run: rotateClientSecret, writes: true },
  removeClient: { run: removeClient, writes: true },
  findTokenHolder: { run: findTokenHolder, writes: false },
  revokeToken: { run: revokeToken, writes: true },
  listSigningKeys: { run: listSigningKeys, writes: false },
  addSigningKey: { run: addSigningKey, writes: true },
  removeSigningKey: { run: removeSigningKey, writes: true },
  encryptionCheck: { run: encryptionCheck, writes: false },
  keepEncryptionCheck: { run: keepEncryptionCheck, writes: true },
  useEncryptionKey: { run: useEncryptionKey, writes: true },
  encryptionState: { run: encryptionState, writes: false },
  // Beside callers, as jobs: no delivery is behind it.
  advanceRotation: { run: advanceRotation, writes: true },
  ping: { run: () => () => undefined, writes: false, goesFirst: true },
  counts: {
    run:
      ({ messages }) =>
      () => ({ pending: messages.pending }),
    writes: false,
  },
};

export const verbNames = Object.keys(verbs) as VerbName[];

export type Verbs = { readonly [Name in VerbName]: Run<Name> };

export function prepareVerbs(context: Context): Verbs {
  const prepared = verbNames.map((name) => [name, verbs[name].run(context)]);
  return Object.fromEntries(prepared) as Verbs;
}
