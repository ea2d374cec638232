import type { EventFilter } from "../../../src/domain/events/event-endpoint.ts";
import type { EventPosition, LoggedEvent } from "../../../src/domain/events/event.ts";
import type { FailingAfter } from "../../../src/domain/failing-after.ts";
import type { Instant } from "../../../src/domain/message.ts";

/** What was told of a run. Somebody subscribed to everything before anything happened. */
export interface ToldEvents {
  /** The logs at the end, by account. */
  readonly logs: ReadonlyMap<string, readonly LoggedEvent[]>;
  /** How often the store has changed each message that it has. */
  readonly versions: ReadonlyMap<string, number>;
  /** How often callers have changed a target, by account and target. Missing where nobody counted. */
  readonly targetChanges?: ReadonlyMap<string, number>;
  readonly readers: readonly EventReader[];
  readonly webhooks: readonly EventWebhook[];
  /** When targets count as failing, where it is not the default, by target. */
  readonly failingAfter?: ReadonlyMap<string, FailingAfter>;
}

/** Somebody who reads an endpoint from its beginning to its end, and connects again and again. */
export interface EventReader {
  readonly name: string;
  readonly accountId: string;
  readonly filter: EventFilter;
  readonly readings: readonly Reading[];
  /** Behind which it has read everything in the end. */
  readonly reached: EventPosition;
}

/** One connection of a reader, or one call. */
export interface Reading {
  readonly node: string;
  readonly after: EventPosition;
  readonly told: readonly { readonly position: EventPosition; readonly eventId: string }[];
  /** Where a call said that the next one goes on. Null: a stream, which has no other position than its events'. */
  readonly next: EventPosition | null;
  /** It was told that events are missing. */
  readonly hasGap: boolean;
}

/** An endpoint whose events the service sends. */
export interface EventWebhook {
  readonly endpointId: string;
  readonly accountId: string;
  readonly filter: EventFilter;
  /** It gets what stands behind this place. */
  readonly since: EventPosition;
  readonly arrivals: readonly EventArrival[];
}

/** One request with events, as its receiver saw it. */
export interface EventArrival {
  readonly endpointId: string;
  /** Null if the receiver cannot know. */
  readonly nodeId: string | null;
  readonly eventIds: readonly string[];
  readonly startedAt: Instant;
  /** When the receiver took the events, whether or not the node heard of it. Null: it did not. */
  readonly takenAt: Instant | null;
  /** When the node stopped waiting. */
  readonly endedAt: Instant;
}
