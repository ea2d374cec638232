import type { AttemptReport } from "../domain/attempt.ts";
import type { Instant } from "../domain/instant.ts";
import type { SigningSecrets } from "../domain/target.ts";
import type { Headers } from "./header-rules.ts";
import type { CheckedSettings, GivenSettings } from "./target-kind.ts";

/** Where the events of an endpoint go. Stored sealed, because headers may hold credentials. */
export type EventSettings = {
  readonly url: string;
  readonly headers: Headers;
};

/** One request with events. */
export interface EventPost {
  /** Accounts share resources fairly, by this id. */
  readonly accountId: string;
  readonly endpointId: string;
  readonly settings: EventSettings;
  readonly secrets: SigningSecrets;
  /** The same for every request with the same events. */
  readonly postId: string;
  readonly contentType: string;
  readonly body: Uint8Array;
  readonly attemptNumber: number;
  /** When the request starts, by the store's clock. */
  readonly startTime: Instant;
  /** Aborts when nobody waits for the outcome any longer. */
  readonly signal: AbortSignal;
}

/**
 * Sends events to webhooks. A failed request is a report, never an exception. Whatever the receiver does, `send` resolves
 * within a bounded time.
 */
export interface EventSender {
  /** The settings of a new endpoint, and all problems with them. */
  complete(given: GivenSettings, accountId: string): Promise<CheckedSettings<EventSettings>>;
  /** The settings of a changed endpoint: the given ones, and the rest as they were. */
  merge(
    kept: EventSettings,
    change: GivenSettings,
    accountId: string,
  ): Promise<CheckedSettings<EventSettings>>;
  /** The settings that callers may see. `merge` accepts them back and keeps what they hide. */
  view(settings: EventSettings): EventSettings;
  send(post: EventPost): Promise<AttemptReport>;
}
