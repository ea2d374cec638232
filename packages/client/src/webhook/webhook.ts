/**
 * A delivery whose signature is right. The signature covers `messageId`, `timestamp` and `payload`; the other
 * fields are null if the request does not have them.
 */
export interface Webhook {
  /** The same on every attempt: whoever has handled this id before has nothing to do. */
  readonly messageId: string;
  /** When the attempt started, to the second. */
  readonly timestamp: Date;
  /** What was scheduled, character for character. */
  readonly payload: string;
  /** The number of the attempt, from 1. Not signed. */
  readonly attempt: number | null;
  /** Not signed. */
  readonly targetId: string | null;
  /** The message's `originalDeliveryTime`, such as `2026-11-14T09:30:00.000Z`. Not signed. */
  readonly originalDeliveryTime: string | null;
  /** The recurring schedule that has made the message; null if none has. Not signed. */
  readonly scheduleId: string | null;
  /** The run of that schedule. Not signed. */
  readonly runTime: string | null;
  /** The payload as JSON. Nothing checks that it is a `T`. Throws a SyntaxError if it is not JSON. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- Shorter than a cast at every call.
  json<T = unknown>(): T;
}
