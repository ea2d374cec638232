import type { AuditNote } from "../domain/audit.ts";
import type {
  BatchOutcome,
  EndpointChange,
  EndpointState,
  EventEndpoint,
  NewEventEndpoint,
} from "../domain/events/event-endpoint.ts";
import type { EventPosition, LoggedEvent } from "../domain/events/event.ts";
import type { Instant } from "../domain/instant.ts";
import type { Holder } from "./delivery-store.ts";

export type { EndpointChange } from "../domain/events/event-endpoint.ts";

export interface EventEndpointRef {
  readonly accountId: string;
  readonly endpointId: string;
}

export type CreateEndpointResult =
  | { readonly kind: "created"; readonly endpoint: EventEndpoint }
  | { readonly kind: "exists" }
  /** The account has `mostEndpoints` already. */
  | { readonly kind: "too-many" }
  | { readonly kind: "no-account" };

export type UpdateEndpointResult =
  | { readonly kind: "updated"; readonly endpoint: EventEndpoint }
  | { readonly kind: "not-found" }
  /** The endpoint has changed since `revision`, so the caller must read it again. */
  | { readonly kind: "changed-meanwhile" };

/** What there is to read in the log of an account. */
export interface LogSpan {
  /** Events up to here have left the log. 0: none has. */
  readonly removedUpTo: EventPosition;
  /** The latest event's position; `removedUpTo`: there is none. */
  readonly last: EventPosition;
}

export interface EventPage extends LogSpan {
  /** By position, without a gap. */
  readonly events: readonly LoggedEvent[];
  /**
   * The mark of the event that the page follows: at `after`, or at `removedUpTo` where that is later. It tells whether a
   * reader's place is in this log, or in one that has been set back since. Null: there is no such event.
   */
  readonly mark: string | null;
}

/** Which events stand at some positions of a log. */
export interface LogMarks extends LogSpan {
  /** For each position its event's mark, or null: the log ends before it, has lost it, or it is the beginning. */
  readonly marks: readonly (string | null)[];
}

/** A webhook as a membership knows it that is about to send. */
export interface WebhookCopy extends EndpointState {
  readonly holder: Holder;
  readonly endpointId: string;
}

export interface MovedEvents {
  /** 0 also while another node moves them. */
  readonly moved: number;
  /** How long the event that had waited longest had waited when the call began; null: none did. */
  readonly waitedMs: number | null;
}

export interface EventPageRequest {
  readonly after: EventPosition;
  readonly limit: number;
  /** For whom the page is. There is none if the membership does not hold this webhook, or must not send what it knows. */
  readonly webhook?: WebhookCopy;
}

/**
 * The log of what happened in an account. Every verb that changes something writes its events in its own commit, of
 * the types and targets that some endpoint of the account subscribes to. Changes that begin after `createEndpoint`
 * was answered are in the log. The events of one message, schedule, job or target are in the order in which they happened.
 */
export interface EventStore {
  createEndpoint(endpoint: NewEventEndpoint, note: AuditNote): Promise<CreateEndpointResult>;
  getEndpoint(ref: EventEndpointRef): Promise<EventEndpoint | undefined>;
  /** By `endpointId`. */
  listEndpoints(accountId: string): Promise<EventEndpoint[]>;
  /** Applies only to the given revision, unless that is null. */
  updateEndpoint(
    ref: EventEndpointRef,
    change: EndpointChange,
    revision: number | null,
    note: AuditNote,
  ): Promise<UpdateEndpointResult>;
  removeEndpoint(ref: EventEndpointRef, note: AuditNote): Promise<EventEndpoint | undefined>;
  /**
   * Up to `limit` events of the account after the position, whoever subscribed to them. Where `after` is before `removedUpTo`, the
   * events begin behind that. Undefined: there is no such account, or the `webhook` is not as the caller knows it, is
   * paused or disabled, or its account is suspended. Page and webhook are of the same instant: a call that begins
   * after a change was answered sees it.
   */
  readEvents(accountId: string, page: EventPageRequest): Promise<EventPage | undefined>;
  /** Undefined: there is no such account. */
  marksAt(accountId: string, positions: readonly EventPosition[]): Promise<LogMarks | undefined>;
  /** The position after which the events of this instant or later stand, by their times in the log. */
  findPosition(accountId: string, time: Instant): Promise<EventPosition>;
  /** What there is to read, for accounts that exist. The cost grows with the number of accounts asked for. */
  logSpans(accountIds: readonly string[]): Promise<ReadonlyMap<string, LogSpan>>;
  /**
   * Moves up to `limit` committed events into the logs of their accounts, in the order of their commits for each
   * subject. A store that writes the log itself has nothing to move.
   */
  moveEvents(limit: number): Promise<MovedEvents>;
  /** Removes a batch of events older than the retention. `nextExpiry` says when there will be more. */
  removeOldEvents(
    limit: number,
  ): Promise<{ readonly removed: number; readonly nextExpiry: Instant | null }>;
  /**
   * Webhooks that are neither paused nor disabled, of accounts that are not suspended, and that this membership holds,
   * and up to `limit` more that no living membership holds: it holds them from now on.
   */
  takeWebhooks(holder: Holder, limit: number): Promise<EventEndpoint[]>;
  /**
   * Writes how a request to a webhook ended. `stale`: the membership no longer holds the endpoint, it was made anew, a caller has
   * moved its position, or changed its filter, address or headers, since the request of this `round`, or the log was set
   * back since, and nothing has changed. A receiver that is gone disables the
   * endpoint, and the commit writes the event of that. `busy`: a change of the endpoint is under way, which may take long.
   * Nothing has happened: to be tried again.
   */
  recordBatch(
    holder: Holder,
    ref: EventEndpointRef,
    round: number,
    outcome: BatchOutcome,
  ): Promise<EventEndpoint | "stale" | "busy">;
}
