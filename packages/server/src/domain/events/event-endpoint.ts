import type { Instant } from "../instant.ts";
import type { Labels } from "../message-options.ts";
import type { Bookmark } from "./bookmark.ts";
import { bitOf, healthMask, maskOf } from "./event-types.ts";
import type { EventMask } from "./event-types.ts";
import type { EventPosition, LoggedEvent } from "./event.ts";

export const endpointKinds = ["stream", "webhook"] as const;

export type EndpointKind = (typeof endpointKinds)[number];

/** How many endpoints an account may have. */
export const mostEndpoints = 10;

/** Which events an endpoint gets. Every condition that is given must hold. */
export interface EventFilter {
  /** Types and patterns as the caller gave them. Null: all but the busiest two. */
  readonly types: readonly string[] | null;
  /** Only events of these targets. Null: of all, and those that concern none. */
  readonly targetIds: readonly string[] | null;
  /** Only events of messages that have all of these labels. Null: of all, and those of other things. */
  readonly labels: Labels | null;
}

/**
 * A durable subscription. A stream is read by callers, who know how far they are. For a webhook the service knows it,
 * and sends.
 *
 *     create ──► active ◄──resume/pause──► paused
 *                  │ 410
 *                  ▼
 *              disabled ──resume──► active
 */
export interface EventEndpoint {
  readonly accountId: string;
  readonly endpointId: string;
  readonly kind: EndpointKind;
  readonly filter: EventFilter;
  /** Of a webhook: address and headers, sealed. Null for a stream. */
  readonly sealedSettings: string | null;
  readonly sealedSecrets: string | null;
  /** 1 for a stream. */
  readonly maxBatch: number;
  /** Nothing is sent. What happens meanwhile is sent after a resume. */
  readonly paused: boolean;
  /** When the receiver said 410, after which nothing is sent before a resume. */
  readonly disabledTime: Instant | null;
  readonly creationTime: Instant;
  readonly updateTime: Instant;
  /** Grows with every change by a caller. */
  readonly revision: number;
  /** Where the log ended when the endpoint was created: it gets what comes after. */
  readonly startPosition: EventPosition;
  /** Null for a stream. */
  readonly progress: WebhookProgress | null;
}

/** What tells one state of an endpoint from another, apart from its progress and whether its receiver is gone. */
export type EndpointState = Pick<EventEndpoint, "revision" | "updateTime">;

/** A store that is set back to an earlier state gives the same revisions again to other changes. */
export function isSameState(one: EndpointState, other: EndpointState): boolean {
  return one.revision === other.revision && one.updateTime === other.updateTime;
}

/** What a caller asks of an endpoint. */
export interface EndpointChange {
  readonly filter?: EventFilter;
  readonly sealedSettings?: string;
  readonly sealedSecrets?: string;
  readonly maxBatch?: number;
  readonly paused?: boolean;
  /** Sends again at once: the endpoint is no longer disabled, and waits for no retry. */
  readonly revived?: true;
  /** Sends everything after this position, which is not before the endpoint's start. */
  readonly position?: EventPosition;
}

export type NewEventEndpoint = Pick<
  EventEndpoint,
  "accountId" | "endpointId" | "kind" | "filter" | "sealedSettings" | "sealedSecrets" | "maxBatch"
>;

/** How far a webhook is. */
export interface WebhookProgress {
  /** Everything up to here was delivered, or left out by the filter. */
  readonly position: EventPosition;
  /** The last event of the batch whose request failed: the next request has the same events. Null: none failed. */
  readonly batchEnd: EventPosition | null;
  /** Requests that failed since the last that succeeded. */
  readonly failures: number;
  /** No request before this instant. Null: at once. */
  readonly retryTime: Instant | null;
  /** Why the last request failed, for people. Null: it succeeded, or there was none. */
  readonly lastError: string | null;
  readonly lastSuccessTime: Instant | null;
  /**
   * Grows whenever a caller moves the position, or changes which events are sent or where. What was sent or left out
   * in an earlier round says nothing any more.
   */
  readonly round: number;
}

function newProgress(position: EventPosition): WebhookProgress {
  return {
    position,
    batchEnd: null,
    failures: 0,
    retryTime: null,
    lastError: null,
    lastSuccessTime: null,
    round: 1,
  };
}

/** A new endpoint of a log that ends with `startPosition`. */
export function createdEndpoint(
  endpoint: NewEventEndpoint,
  startPosition: EventPosition,
  now: Instant,
): EventEndpoint {
  return {
    ...endpoint,
    paused: false,
    disabledTime: null,
    creationTime: now,
    updateTime: now,
    revision: 1,
    startPosition,
    progress: endpoint.kind === "webhook" ? newProgress(startPosition) : null,
  };
}

export function changedEndpoint(
  endpoint: EventEndpoint,
  { revived, position, ...change }: EndpointChange,
  now: Instant,
): EventEndpoint {
  let { progress, disabledTime } = endpoint;
  if (progress !== null && revived) {
    disabledTime = null;
    progress = { ...progress, retryTime: null };
  }
  if (progress !== null && position !== undefined) {
    const moved = Math.max(position, endpoint.startPosition);
    progress = { ...progress, position: moved, batchEnd: null, failures: 0, retryTime: null };
  }
  if (progress !== null && beginsRound(change, position)) {
    progress = { ...progress, round: progress.round + 1 };
  }
  const revision = endpoint.revision + 1;
  return { ...endpoint, ...change, disabledTime, progress, updateTime: now, revision };
}

/** A pause does not: what a receiver took before it need not be sent again. */
function beginsRound(
  { filter, sealedSettings }: EndpointChange,
  position: EventPosition | undefined,
): boolean {
  return position !== undefined || filter !== undefined || sealedSettings !== undefined;
}

/** How a request to a webhook ended. */
export type BatchOutcome =
  /** Everything up to the place is delivered, or nothing up to there was for this endpoint. */
  | (Bookmark & { readonly kind: "delivered"; readonly sent: boolean })
  | {
      readonly kind: "failed";
      readonly batchEnd: EventPosition;
      readonly error: string;
      readonly delayMs: number;
    }
  /** The receiver said that it is gone for good. */
  | { readonly kind: "gone"; readonly batchEnd: EventPosition; readonly statusCode: number };

/**
 * Whether an outcome is of this round. The endpoint may also have been made anew, with the rounds from the first on:
 * what was sent for the one before it ended before its start.
 */
export function isOfRound(
  { startPosition, progress }: EventEndpoint,
  round: number,
  outcome: BatchOutcome,
): boolean {
  return progress?.round === round && endOf(outcome).position > startPosition;
}

/** How far the log was for whoever made the request. A log that was set back since may not be as far. */
export function endOf(outcome: BatchOutcome): Bookmark {
  if (outcome.kind === "delivered") return { position: outcome.position, mark: outcome.mark };
  return { position: outcome.batchEnd, mark: null };
}

/** The progress after a request that began in the same round. */
export function afterBatch(
  progress: WebhookProgress,
  outcome: BatchOutcome,
  now: Instant,
): WebhookProgress {
  switch (outcome.kind) {
    case "delivered":
      return {
        ...progress,
        position: Math.max(progress.position, outcome.position),
        batchEnd: null,
        failures: 0,
        retryTime: null,
        lastError: outcome.sent ? null : progress.lastError,
        lastSuccessTime: outcome.sent ? now : progress.lastSuccessTime,
      };
    case "failed":
      return {
        ...progress,
        batchEnd: outcome.batchEnd,
        failures: progress.failures + 1,
        retryTime: now + outcome.delayMs,
        lastError: outcome.error,
      };
    default:
      return {
        ...progress,
        batchEnd: outcome.batchEnd,
        failures: progress.failures + 1,
        retryTime: null,
        lastError: `the receiver answered ${outcome.statusCode}`,
      };
  }
}

/** Whether a webhook may send now. */
export function maySend(
  { kind, paused, disabledTime, progress }: EventEndpoint,
  now: Instant,
): boolean {
  if (kind !== "webhook" || paused || disabledTime !== null || progress === null) return false;
  return progress.retryTime === null || progress.retryTime <= now;
}

export function isWanted({ types, targetIds, labels }: EventFilter, event: LoggedEvent): boolean {
  if ((maskOf(types) & bitOf(event.type)) === 0) return false;
  if (targetIds !== null && (event.targetId === null || !targetIds.includes(event.targetId))) {
    return false;
  }
  if (labels === null) return true;
  const own = event.data.message?.options?.labels ?? {};
  return Object.entries(labels).every(([name, value]) => own[name] === value);
}

/** What is written for an account: the union of what its endpoints want, whatever target it concerns. */
export function maskOfAccount(filters: readonly EventFilter[]): EventMask {
  return filters.reduce((mask, { types }) => mask | maskOf(types), 0);
}

/** What is written for one target. */
export function maskOfTarget(filters: readonly EventFilter[], targetId: string): EventMask {
  return maskOfAccount(
    filters.filter(({ targetIds }) => targetIds === null || targetIds.includes(targetId)),
  );
}

/** Of which targets somebody is told when they fail and recover: of all, or of those that filters name. */
export type HealthCoverage = "all" | ReadonlySet<string>;

export function healthCoverage(filters: readonly EventFilter[]): HealthCoverage {
  const named = new Set<string>();
  for (const { types, targetIds } of filters) {
    if ((maskOf(types) & healthMask) === 0) continue;
    if (targetIds === null) return "all";
    for (const targetId of targetIds) named.add(targetId);
  }
  return named;
}
