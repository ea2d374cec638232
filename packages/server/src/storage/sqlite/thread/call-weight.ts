import { mostKeys } from "../../../domain/access.ts";
import { mostAttemptsKept } from "../../../domain/attempt.ts";
import { mostClients } from "../../../domain/client.ts";
import { mostEndpoints } from "../../../domain/events/event-endpoint.ts";
import { messageWeight } from "../../message-weight.ts";
import type { ScheduleRequest, Store } from "../../store.ts";
import type { VerbName } from "./verbs.ts";

/** A batch with as many messages as the API allows is not divided for their number. */
const largestUndivided = 1_000;
const largestPiece = 500;

/**
 * A search, a look of a job, a step of one and steps of schedules take a few milliseconds. Two of them fill a batch, so that no
 * delivery waits for many.
 */
const searchWeight = 1_000;

type ListVerb = Extract<VerbName, `list${string}` | "findMessages" | "readEvents">;

/** A new schedule computes when it is due, which may take long for a rare time, and makes up to six messages. */
const newScheduleWeight = 20;

/**
 * A changed one may also take back what callers have moved and make it again, with its payloads: many messages at
 * worst, which the queue does not know.
 */
const changedScheduleWeight = 500;

/** Measured with sealed settings of 13,500 characters, about as long as they may be. */
const rowsOfATarget = 2;

/**
 * What a list costs at most, in rows of a message. The queue does not know how many rows there are, so a
 * list without a limit weighs as much as the longest one. A list that is missing here does not compile.
 */
const mostRows: { readonly [Name in ListVerb]: (...args: Parameters<Store[Name]>) => number } = {
  listScheduledMessages: ({ limit }) => limit,
  listDeadLetters: ({ limit }) => limit,
  findMessages: () => searchWeight,
  listAuditEntries: ({ limit }) => limit,
  readEvents: (_accountId, { limit }) => limit,
  listEndpoints: () => mostEndpoints,
  listAccounts: ({ limit }) => limit,
  listJobs: (_accountId, { limit }) => limit,
  listSchedules: ({ limit }) => rowsOfATarget * limit,
  listRuns: ({ limit }) => limit,
  listTargets: (_accountId, { limit }) => rowsOfATarget * limit,
  listKeys: () => mostKeys,
  listClients: () => mostClients,
  listAttempts: () => mostAttemptsKept,
  // Nodes and signing keys are the operator's, and few.
  listNodes: () => 1,
  listSigningKeys: () => 1,
};

const fixedWeights: { readonly [Name in VerbName]?: number } = {
  lookForJob: searchWeight,
  advanceJob: searchWeight,
  advanceSchedules: searchWeight,
  judgeRuns: searchWeight,
  createSchedule: newScheduleWeight,
  changeSchedule: changedScheduleWeight,
  removeSchedule: changedScheduleWeight,
};

/** How many messages without a payload cost about as much. */
export function weightOf(verb: VerbName, args: readonly unknown[]): number {
  if (verb === "scheduleMessages") return weightOfAll(args[0] as readonly ScheduleRequest[]);
  if (verb === "recordAttempts") return Math.max(1, (args[1] as readonly unknown[]).length);
  if (verb === "addActivity") return Math.max(1, (args[0] as readonly unknown[]).length);
  const fixed = fixedWeights[verb];
  if (fixed !== undefined) return fixed;
  return isList(verb) ? (mostRows[verb] as (...args: readonly unknown[]) => number)(...args) : 1;
}

function isList(verb: VerbName): verb is ListVerb {
  return verb in mostRows;
}

/** The account that makes a call. Calls without an account share a name. */
export function ownerOf(verb: VerbName, args: readonly unknown[]): string {
  // It is about many accounts, and none of them has asked for it.
  if (verb === "addActivity" || verb === "logSpans") return "";
  const [first] = args;
  const about: unknown = Array.isArray(first) ? first[0] : first;
  if (typeof about === "string") return about;
  const { accountId, order } = (about ?? {}) as {
    readonly accountId?: unknown;
    readonly order?: { readonly accountId?: unknown };
  };
  const owner = accountId ?? order?.accountId;
  return typeof owner === "string" ? owner : "";
}

/**
 * A large batch of messages, split into parts that need not share a commit, because each message
 * stands alone. Undefined if it is not large enough.
 */
export function piecesOf(
  verb: VerbName,
  args: readonly unknown[],
  weight: number,
): ScheduleRequest[][] | undefined {
  if (weight <= largestUndivided || verb !== "scheduleMessages") return undefined;
  const pieces: ScheduleRequest[][] = [];
  let left = 0;
  for (const request of args[0] as readonly ScheduleRequest[]) {
    const own = messageWeight(request);
    if (own > left) {
      pieces.push([]);
      left = largestPiece;
    }
    pieces.at(-1)!.push(request);
    left -= own;
  }
  return pieces;
}

function weightOfAll(requests: readonly ScheduleRequest[]): number {
  let weight = 0;
  for (const request of requests) weight += messageWeight(request);
  return Math.max(1, weight);
}
