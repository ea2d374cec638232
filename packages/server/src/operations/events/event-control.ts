import type { EventEndpoint } from "../../domain/events/event-endpoint.ts";
import type { EventPage, LogSpan } from "../../storage/store.ts";
import type { EventPosition } from "../../domain/events/event.ts";

/** Hints from the operations to whatever reads and sends events. A missed hint loses nothing. */
export interface EventControl {
  /** An event endpoint of the account was created, changed or removed. */
  endpointsChanged(accountId: string): void;
}

/** What an account's log has, for as long as somebody reads it. */
export interface LogFollower {
  /** As the latest look has seen it. */
  readonly span: LogSpan;
  /** As the latest look has seen it: after the events that were read, and a few seconds ago at most. Undefined: it was removed. */
  endpoint(endpointId: string): EventEndpoint | undefined;
  /** Resolves when the log has something after the position, when the signal aborts, or when nobody reads on. */
  after(position: EventPosition, signal: AbortSignal): Promise<void>;
  /** Readers at the same place share one read. Undefined: the account is gone. */
  read(after: EventPosition, limit: number): Promise<EventPage | undefined>;
  /** Call it once. */
  leave(): void;
}

/** Looks at the logs for all who read, with one look for all of them. */
export interface EventReading {
  /** Rejects while the server stops. */
  follow(accountId: string): Promise<LogFollower>;
  /** Aborts when the server stops. */
  readonly ended: AbortSignal;
}
