import { mostKeys } from "../../../domain/access.ts";
import { mostAttemptsKept } from "../../../domain/attempt.ts";
import { mostClients } from "../../../domain/client.ts";
import { mostEndpoints } from "../../../domain/events/event-endpoint.ts";
import { messageWeight } from "../../message-weight.ts";
import type { ScheduleRequest, Store } from "../../store.ts";
import type { VerbName } from "./verbs.ts";

type Weight<Name extends VerbName> = number | ((...args: Parameters<Store[Name]>) => number);

/** A call that reads or writes a few rows, whatever the account has. */
const light = 1;

/**
 * A search, a look of a job, a step of one, steps of schedules and the search of a log for a time take a few milliseconds. Two
 * of them fill a batch, so that no delivery waits for many.
 */
const searchWeight = 1_000;

/** A new schedule computes when it is due, which may take long for a rare time, and makes up to six messages. */
const newScheduleWeight = 20;

/**
 * A changed one may also take back what callers have moved and make it again, with its payloads: many messages at
 * worst, which the queue does not know.
 */
const changedScheduleWeight = 500;

/**
 * The filters of all endpoints of the account are read, and the targets that they name looked up. Measured with as many
 * endpoints as there may be, each of which names as many targets as it may.
 */
const changedEndpointWeight = 100;

/** Measured with sealed settings of 13,500 characters, about as long as they may be. */
const rowsOfATarget = 2;

const lengthOf = (list: readonly unknown[]): number => Math.max(1, list.length);

/**
 * How many messages without a payload a call costs about as much as. The queue does not know how many rows there are, so a
 * list without a limit weighs as much as the longest one. A verb that is missing here does not compile.
 */
export const verbWeights: { readonly [Name in VerbName]: Weight<Name> } = {
  scheduleMessages: weightOfAll,
  getMessage: light,
  findByKey: light,
  getPayload: light,
  listAttempts: mostAttemptsKept,
  cancelMessage: light,
  rescheduleMessage: light,
  listScheduledMessages: ({ limit }) => limit,
  listDeadLetters: ({ limit }) => limit,
  findMessages: searchWeight,
  createJob: light,
  lookForJob: searchWeight,
  lookForBackfill: light,
  getJob: light,
  listJobs: (_accountId, { limit }) => limit,
  changeJob: light,
  takeJobs: light,
  advanceJob: searchWeight,
  createSchedule: newScheduleWeight,
  changeSchedule: changedScheduleWeight,
  removeSchedule: changedScheduleWeight,
  getSchedule: light,
  listSchedules: ({ limit }) => rowsOfATarget * limit,
  listRuns: ({ limit }) => limit,
  advanceSchedules: searchWeight,
  judgeRuns: searchWeight,
  createEndpoint: changedEndpointWeight,
  getEndpoint: light,
  listEndpoints: mostEndpoints,
  updateEndpoint: changedEndpointWeight,
  removeEndpoint: changedEndpointWeight,
  readEvents: (_accountId, { limit }) => limit,
  marksAt: light,
  findPosition: searchWeight,
  logSpans: light,
  moveEvents: light,
  removeOldEvents: light,
  takeWebhooks: light,
  recordBatch: light,
  addActivity: lengthOf,
  countInFlight: light,
  join: light,
  // Nodes and signing keys are the operator's, and few.
  listNodes: light,
  upcoming: light,
  upcomingByTarget: light,
  claimDue: light,
  recordAttempts: (_holder, results) => lengthOf(results),
  releaseClaims: light,
  endOutrun: light,
  removeExpired: light,
  createTarget: light,
  getTarget: light,
  getTargetByKey: light,
  listTargets: (_accountId, { limit }) => rowsOfATarget * limit,
  updateTarget: light,
  removeTarget: light,
  beginTest: light,
  endTest: light,
  ensureAccount: light,
  createAccount: light,
  getAccount: light,
  listAccounts: ({ limit }) => limit,
  updateAccount: light,
  removeAccount: light,
  getUsage: light,
  takeRequests: light,
  listAuditEntries: ({ limit }) => limit,
  createKey: light,
  replaceKey: light,
  findKey: light,
  listKeys: mostKeys,
  revokeKey: light,
  createSession: light,
  findSession: light,
  endSession: light,
  createClient: light,
  findClient: light,
  getClient: light,
  listClients: mostClients,
  rotateClientSecret: light,
  removeClient: light,
  findTokenHolder: light,
  revokeToken: light,
  listSigningKeys: light,
  addSigningKey: light,
  removeSigningKey: light,
  encryptionCheck: light,
  keepEncryptionCheck: light,
  useEncryptionKey: light,
  encryptionState: light,
  advanceRotation: light,
  ping: light,
  counts: light,
};

function weightOfAll(requests: readonly ScheduleRequest[]): number {
  let weight = 0;
  for (const request of requests) weight += messageWeight(request);
  return Math.max(1, weight);
}
