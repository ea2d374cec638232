import type { Store } from "../store.ts";
import type { Context, WorkContext } from "./queries/context.ts";
import { createKey, findKey, listKeys, replaceKey, revokeKey } from "./queries/access-keys.ts";
import { createAccount, ensureAccount, getAccount, listAccounts } from "./queries/accounts.ts";
import { listAuditEntries } from "./queries/audit-entries.ts";
import { claimDue } from "./queries/claim-due.ts";
import {
  createClient,
  findClient,
  getClient,
  listClients,
  removeClient,
  rotateClientSecret,
} from "./queries/clients.ts";
import { countPending } from "./queries/count-pending.ts";
import { advanceRotation } from "./queries/encryption/advance-rotation.ts";
import { encryptionCheck, keepEncryptionCheck } from "./queries/encryption/encryption-check.ts";
import { encryptionState, useEncryptionKey } from "./queries/encryption/encryption-keys.ts";
import { readSealed } from "./queries/encryption/read-sealed.ts";
import { endOutrun } from "./queries/end-outrun.ts";
import {
  createEndpoint,
  getEndpoint,
  listEndpoints,
  removeEndpoint,
  updateEndpoint,
} from "./queries/events/endpoints.ts";
import { moveEvents } from "./queries/events/move-events.ts";
import { findPosition, logSpans, marksAt, readEvents } from "./queries/events/read-events.ts";
import { removeOldEvents } from "./queries/events/remove-old-events.ts";
import { recordBatch, takeWebhooks } from "./queries/events/webhooks.ts";
import { findMessages } from "./queries/find-messages.ts";
import { advanceJob } from "./queries/jobs/advance-job.ts";
import { lookForBackfill } from "./queries/jobs/backfill.ts";
import { changeJob } from "./queries/jobs/change-job.ts";
import { createJob } from "./queries/jobs/create-job.ts";
import { lookForJob } from "./queries/jobs/look-for-job.ts";
import { getJob, listJobs } from "./queries/jobs/read-jobs.ts";
import { takeJobs } from "./queries/jobs/take-jobs.ts";
import { listDeadLetters, listScheduledMessages } from "./queries/list-messages.ts";
import { endLapsedMemberships, join, leave, listNodes } from "./queries/nodes.ts";
import { findByKey, getMessage, getPayload, listAttempts } from "./queries/read-message.ts";
import { releaseClaims } from "./queries/release-claims.ts";
import { removeAccount } from "./queries/remove-account.ts";
import { removeExpired } from "./queries/remove-expired.ts";
import { advanceSchedules } from "./queries/schedules/advance-schedules.ts";
import { changeSchedule } from "./queries/schedules/change-schedule.ts";
import { createSchedule } from "./queries/schedules/create-schedule.ts";
import { judgeRuns } from "./queries/schedules/judge-runs.ts";
import { listRuns } from "./queries/schedules/list-runs.ts";
import { getSchedule, listSchedules } from "./queries/schedules/read-schedules.ts";
import { removeSchedule } from "./queries/schedules/remove-schedule.ts";
import { createSession, endSession, findSession } from "./queries/sessions.ts";
import { addSigningKey, listSigningKeys, removeSigningKey } from "./queries/signing-keys.ts";
import { addActivity } from "./queries/stats/add-activity.ts";
import { countInFlight } from "./queries/stats/count-in-flight.ts";
import { countMessages } from "./queries/stats/count-messages.ts";
import { countOverdue } from "./queries/stats/count-overdue.ts";
import { groupDeadLetters } from "./queries/stats/group-dead-letters.ts";
import { lookAtTargets } from "./queries/stats/look-at-targets.ts";
import { readActivity } from "./queries/stats/read-activity.ts";
import { walkSchedules } from "./queries/stats/walk-schedules.ts";
import { takeRequests } from "./queries/take-requests.ts";
import { beginTest, endTest } from "./queries/target-tests.ts";
import {
  createTarget,
  getTarget,
  getTargetByKey,
  listTargets,
  removeTarget,
  updateTarget,
} from "./queries/targets.ts";
import { findTokenHolder, revokeToken } from "./queries/tokens.ts";
import { upcomingByTarget } from "./queries/upcoming-by-target.ts";
import { upcoming } from "./queries/upcoming.ts";
import { updateAccount } from "./queries/update-account.ts";
import { getUsage } from "./queries/usage.ts";

/** The parts with connections of their own: see `connectionParts`. */
export type ConnectionPart =
  | "lease"
  | "delivery"
  | "schedules"
  | "events"
  | "callers"
  | "statistics"
  | "watching";

/** The connections that a verb uses, and the name of its work when it waits for one. */
export interface VerbConnections {
  readonly part: ConnectionPart;
  readonly work: string;
}

/** Verbs that need more than a context. `openPostgresStore` builds them. */
type OtherMember =
  | "clock"
  | "sharing"
  | "waitingCalls"
  | "close"
  | "scheduleMessages"
  | "cancelMessage"
  | "rescheduleMessage"
  | "recordAttempts"
  | "renew";

type VerbName = Exclude<keyof Store, OtherMember>;

/**
 * One verb of the port. Without `on` it uses the callers' connections, and each of its calls gives
 * the account's id as a name.
 */
type Verb<Name extends VerbName> =
  | { readonly run: (context: Context) => Store[Name]; readonly on?: undefined }
  | { readonly run: (context: WorkContext) => Store[Name]; readonly on: VerbConnections };

const verbs: { readonly [Name in VerbName]: Verb<Name> } = {
  getMessage: { run: getMessage },
  findByKey: { run: findByKey },
  getPayload: { run: getPayload },
  listAttempts: { run: listAttempts },
  listScheduledMessages: { run: listScheduledMessages },
  listDeadLetters: { run: listDeadLetters },
  findMessages: { run: findMessages },
  createJob: { run: createJob },
  lookForJob: { run: lookForJob },
  lookForBackfill: { run: lookForBackfill },
  getJob: { run: getJob },
  listJobs: { run: listJobs },
  changeJob: { run: changeJob },
  takeJobs: { run: takeJobs, on: { part: "delivery", work: "jobs" } },
  advanceJob: { run: advanceJob, on: { part: "delivery", work: "jobs" } },
  createSchedule: { run: createSchedule },
  changeSchedule: { run: changeSchedule },
  removeSchedule: { run: removeSchedule },
  getSchedule: { run: getSchedule },
  listSchedules: { run: listSchedules },
  listRuns: { run: listRuns },
  advanceSchedules: { run: advanceSchedules, on: { part: "schedules", work: "advance" } },
  judgeRuns: { run: judgeRuns, on: { part: "schedules", work: "judge" } },
  createEndpoint: { run: createEndpoint },
  getEndpoint: { run: getEndpoint },
  listEndpoints: { run: listEndpoints },
  updateEndpoint: { run: updateEndpoint },
  removeEndpoint: { run: removeEndpoint },
  readEvents: { run: readEvents },
  marksAt: { run: marksAt },
  findPosition: { run: findPosition },
  logSpans: { run: logSpans, on: { part: "events", work: "look" } },
  moveEvents: { run: moveEvents, on: { part: "events", work: "move" } },
  removeOldEvents: { run: removeOldEvents, on: { part: "delivery", work: "expiry" } },
  takeWebhooks: { run: takeWebhooks, on: { part: "events", work: "webhooks" } },
  recordBatch: { run: recordBatch, on: { part: "events", work: "webhooks" } },
  addActivity: { run: addActivity, on: { part: "statistics", work: "activity" } },
  readActivity: { run: readActivity, on: { part: "statistics", work: "reading" } },
  countMessages: { run: countMessages, on: { part: "statistics", work: "reading" } },
  // Beside the pings: no statistics of callers make a scrape wait.
  countOverdue: { run: countOverdue, on: { part: "watching", work: "counts" } },
  groupDeadLetters: { run: groupDeadLetters, on: { part: "statistics", work: "reading" } },
  walkSchedules: { run: walkSchedules, on: { part: "statistics", work: "reading" } },
  lookAtTargets: { run: lookAtTargets, on: { part: "statistics", work: "reading" } },
  countInFlight: { run: countInFlight, on: { part: "statistics", work: "reading" } },
  join: { run: join, on: { part: "lease", work: "join" } },
  leave: { run: leave, on: { part: "delivery", work: "nodes" } },
  listNodes: { run: listNodes, on: { part: "delivery", work: "nodes" } },
  endLapsedMemberships: { run: endLapsedMemberships, on: { part: "delivery", work: "nodes" } },
  upcoming: { run: upcoming, on: { part: "delivery", work: "look" } },
  upcomingByTarget: { run: upcomingByTarget, on: { part: "delivery", work: "look" } },
  claimDue: { run: claimDue, on: { part: "delivery", work: "claim" } },
  releaseClaims: { run: releaseClaims, on: { part: "delivery", work: "release" } },
  endOutrun: { run: endOutrun, on: { part: "delivery", work: "bounds" } },
  removeExpired: { run: removeExpired, on: { part: "delivery", work: "expiry" } },
  createTarget: { run: createTarget },
  getTarget: { run: getTarget },
  getTargetByKey: { run: getTargetByKey, on: { part: "delivery", work: "targets" } },
  listTargets: { run: listTargets },
  updateTarget: { run: updateTarget },
  removeTarget: { run: removeTarget },
  beginTest: { run: beginTest },
  endTest: { run: endTest },
  ensureAccount: { run: ensureAccount },
  createAccount: { run: createAccount },
  getAccount: { run: getAccount },
  listAccounts: { run: listAccounts, on: { part: "callers", work: "operator" } },
  updateAccount: { run: updateAccount },
  removeAccount: { run: removeAccount },
  getUsage: { run: getUsage },
  takeRequests: { run: takeRequests, on: { part: "callers", work: "requests" } },
  listAuditEntries: { run: listAuditEntries },
  createKey: { run: createKey },
  replaceKey: { run: replaceKey },
  findKey: { run: findKey, on: { part: "callers", work: "credentials" } },
  listKeys: { run: listKeys },
  revokeKey: { run: revokeKey },
  createSession: { run: createSession },
  findSession: { run: findSession, on: { part: "callers", work: "credentials" } },
  endSession: { run: endSession },
  createClient: { run: createClient },
  findClient: { run: findClient, on: { part: "callers", work: "credentials" } },
  getClient: { run: getClient },
  listClients: { run: listClients },
  rotateClientSecret: { run: rotateClientSecret },
  removeClient: { run: removeClient },
  findTokenHolder: { run: findTokenHolder, on: { part: "callers", work: "credentials" } },
  revokeToken: { run: revokeToken },
  listSigningKeys: { run: listSigningKeys, on: { part: "callers", work: "signing-keys" } },
  addSigningKey: { run: addSigningKey, on: { part: "callers", work: "signing-keys" } },
  removeSigningKey: { run: removeSigningKey, on: { part: "callers", work: "signing-keys" } },
  encryptionCheck: { run: encryptionCheck, on: { part: "callers", work: "encryption" } },
  keepEncryptionCheck: { run: keepEncryptionCheck, on: { part: "callers", work: "encryption" } },
  useEncryptionKey: { run: useEncryptionKey, on: { part: "callers", work: "encryption" } },
  encryptionState: { run: encryptionState, on: { part: "callers", work: "encryption" } },
  readSealed: { run: readSealed, on: { part: "statistics", work: "encryption" } },
  advanceRotation: { run: advanceRotation, on: { part: "statistics", work: "encryption" } },
  ping: { run: ping, on: { part: "watching", work: "ping" } },
  counts: { run: countPending, on: { part: "watching", work: "counts" } },
};

export function prepareVerbs(
  context: Context,
  on: (connections: VerbConnections) => WorkContext,
): Pick<Store, VerbName> {
  const prepared = Object.entries(verbs).map(([name, verb]) => [
    name,
    verb.on === undefined ? verb.run(context) : verb.run(on(verb.on)),
  ]);
  return Object.fromEntries(prepared) as Pick<Store, VerbName>;
}

function ping({ connections }: WorkContext) {
  return async (): Promise<void> => {
    await connections.query({ name: "ping", text: "SELECT 1" });
  };
}
