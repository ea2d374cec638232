import type { AuditNote } from "../../../../../src/domain/audit.ts";
import { isOfLog } from "../../../../../src/domain/events/bookmark.ts";
import {
  afterBatch,
  endOf,
  changedEndpoint,
  createdEndpoint,
  isOfRound,
  isSameState,
  mostEndpoints,
} from "../../../../../src/domain/events/event-endpoint.ts";
import type {
  BatchOutcome,
  EventEndpoint,
  NewEventEndpoint,
} from "../../../../../src/domain/events/event-endpoint.ts";
import { healthMask } from "../../../../../src/domain/events/event-types.ts";
import type { EventPosition } from "../../../../../src/domain/events/event.ts";
import { endpointDisabledEvent } from "../../../../../src/domain/events/other-events.ts";
import { unknownHealth } from "../../../../../src/domain/events/target-health.ts";
import type { Instant } from "../../../../../src/domain/message.ts";
import type {
  CreateEndpointResult,
  EndpointChange,
  EventEndpointRef,
  EventPage,
  EventPageRequest,
  Holder,
  LogMarks,
  LogSpan,
  MovedEvents,
  UpdateEndpointResult,
  WebhookCopy,
} from "../../../../../src/storage/store.ts";
import { liveAccount } from "../../database-state.ts";
import type { Context } from "../../database-state.ts";
import { isMember } from "../jobs/jobs.ts";
import { teller } from "./tell.ts";

export function eventVerbs(context: Context) {
  const { state, node } = context;
  const { clock, events, targets, memberships, auditLog } = state;
  const tell = teller(context);

  /** Nobody is told any more how these targets do. */
  function forgetHealth(): void {
    for (const targetKey of events.targetsWithHealth()) {
      const { accountId, targetId } = targets.get(targetKey)!.target;
      const isTold = (events.maskOf(accountId, targetId) & healthMask) !== 0;
      if (!isTold) events.setHealth(targetKey, unknownHealth);
    }
  }

  const readable = (accountId: string) =>
    state.rules.readable(events.eventsOf(accountId), clock.now());

  /** Ends with what can be read. */
  function spanOf(accountId: string): LogSpan {
    const span = events.spanOf(accountId);
    return { ...span, last: readable(accountId).at(-1)?.position ?? span.removedUpTo };
  }

  function maySend(accountId: string, copy: WebhookCopy): boolean {
    const { holder, endpointId } = copy;
    const kept = events.find({ accountId, endpointId });
    const isHeld = kept?.holder === holder.epoch && isMember(state, holder);
    if (kept === undefined || !isHeld || !isSameState(kept.endpoint, copy)) return false;
    const { paused, disabledTime } = kept.endpoint;
    const isActive = liveAccount(state, accountId)?.state === "ACTIVE";
    return isActive && !paused && disabledTime === null;
  }

  return {
    createEndpoint(order: NewEventEndpoint, note: AuditNote): CreateEndpointResult {
      const { accountId } = order;
      if (liveAccount(state, accountId) === undefined) return { kind: "no-account" };
      if (events.find(order) !== undefined) return { kind: "exists" };
      if (events.ofAccount(accountId).length >= mostEndpoints) return { kind: "too-many" };
      auditLog.write(clock.now(), note);
      const endpoint = createdEndpoint(order, events.spanOf(accountId).last, clock.now());
      events.addEndpoint(endpoint);
      return { kind: "created", endpoint };
    },

    getEndpoint: (ref: EventEndpointRef): EventEndpoint | undefined => events.find(ref)?.endpoint,

    listEndpoints: (accountId: string): EventEndpoint[] =>
      events
        .ofAccount(accountId)
        .map(({ endpoint }) => endpoint)
        .toSorted((one, other) => (one.endpointId < other.endpointId ? -1 : 1)),

    updateEndpoint(
      ref: EventEndpointRef,
      change: EndpointChange,
      revision: number | null,
      note: AuditNote,
    ): UpdateEndpointResult {
      const kept = events.find(ref);
      if (kept === undefined) return { kind: "not-found" };
      const isOutdated = revision !== null && kept.endpoint.revision !== revision;
      if (isOutdated) return { kind: "changed-meanwhile" };
      auditLog.write(clock.now(), note);
      kept.endpoint = changedEndpoint(kept.endpoint, change, clock.now());
      forgetHealth();
      return { kind: "updated", endpoint: kept.endpoint };
    },

    removeEndpoint(ref: EventEndpointRef, note: AuditNote): EventEndpoint | undefined {
      const kept = events.find(ref);
      if (kept === undefined) return undefined;
      auditLog.write(clock.now(), note);
      events.removeEndpoint(kept);
      forgetHealth();
      return kept.endpoint;
    },

    readEvents(
      accountId: string,
      { after, limit, webhook }: EventPageRequest,
    ): EventPage | undefined {
      if (liveAccount(state, accountId) === undefined) return undefined;
      if (webhook !== undefined && !maySend(accountId, webhook)) return undefined;
      const behind = readable(accountId).filter(({ position }) => position > after);
      const span = spanOf(accountId);
      const mark = events.markAt(accountId, Math.max(after, span.removedUpTo));
      return { ...span, events: behind.slice(0, limit), mark };
    },

    marksAt(accountId: string, positions: readonly EventPosition[]): LogMarks | undefined {
      if (liveAccount(state, accountId) === undefined) return undefined;
      const marks = positions.map((position) => events.markAt(accountId, position));
      return { ...spanOf(accountId), marks };
    },

    findPosition(accountId: string, time: Instant): EventPosition {
      if (liveAccount(state, accountId) === undefined) return 0;
      const first = events.eventsOf(accountId).find((event) => event.time >= time);
      return first === undefined ? events.spanOf(accountId).last : first.position - 1;
    },

    logSpans: (accountIds: readonly string[]): ReadonlyMap<string, LogSpan> =>
      new Map(
        accountIds
          .filter((accountId) => liveAccount(state, accountId) !== undefined)
          .map((accountId) => [accountId, spanOf(accountId)]),
      ),

    moveEvents: (_limit: number): MovedEvents => ({ moved: 0, waitedMs: null }),

    removeOldEvents(limit: number): { removed: number; nextExpiry: Instant | null } {
      const { eventRetentionMs, eventLimit } = node;
      const { removed, next } = events.removeUntil(
        clock.now() - eventRetentionMs,
        limit,
        eventLimit,
      );
      return { removed, nextExpiry: next === null ? null : next + eventRetentionMs };
    },

    takeWebhooks(holder: Holder, limit: number): EventEndpoint[] {
      if (!isMember(state, holder)) return [];
      const isFree = (epoch: number | null): boolean => epoch === null || !memberships.has(epoch);
      const sending = events.endpoints().filter(({ endpoint }) => {
        const { accountId, kind, paused, disabledTime } = endpoint;
        const isActive = liveAccount(state, accountId)?.state === "ACTIVE";
        return kind === "webhook" && isActive && !paused && disabledTime === null;
      });
      for (const kept of sending.filter((each) => isFree(each.holder)).slice(0, limit)) {
        kept.holder = holder.epoch;
      }
      return sending.filter((kept) => kept.holder === holder.epoch).map(({ endpoint }) => endpoint);
    },

    recordBatch(
      holder: Holder,
      ref: EventEndpointRef,
      round: number,
      outcome: BatchOutcome,
    ): EventEndpoint | "stale" {
      const kept = events.find(ref);
      const isHeld = kept?.holder === holder.epoch && isMember(state, holder);
      const before = kept?.endpoint.progress;
      if (!kept || !before || !isHeld || !isOfRound(kept.endpoint, round, outcome)) return "stale";
      const end = endOf(outcome);
      const mark = events.markAt(ref.accountId, end.position);
      if (!isOfLog(end, { ...spanOf(ref.accountId), mark })) return "stale";
      const now = clock.now();
      kept.endpoint = { ...kept.endpoint, progress: afterBatch(before, outcome, now) };
      if (outcome.kind === "gone") {
        kept.endpoint = { ...kept.endpoint, disabledTime: now };
        const event = endpointDisabledEvent(ref.endpointId, outcome.statusCode, now);
        tell.write(ref.accountId, () => [event]);
      }
      return kept.endpoint;
    },
  };
}
