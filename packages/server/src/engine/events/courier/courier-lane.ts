import type { EventEndpoint } from "../../../domain/events/event-endpoint.ts";
import { maySend } from "../../../domain/events/event-endpoint.ts";
import type { EventPosition } from "../../../domain/events/event.ts";
import type { Instant } from "../../../domain/instant.ts";
import type { Timer } from "../../../platform/timers.ts";
import type { Holder, LogSpan, WebhookCopy } from "../../../storage/store.ts";
import type { OpenWebhook } from "../../../targets/sealed-endpoint.ts";
import { pauseAfterFailures } from "../../../platform/pause-after-failures.ts";

/** A node that restarts reads at most so many events again, or those of so long. */
const mostUnrecorded = 5_000;
const recordEveryMs = 10_000;

/**
 * One webhook as this node serves it: one request at a time, in the order of the log.
 *
 *     resting ──something to do──► waiting for a place ──► at work ──► resting
 */
export class CourierLane {
  readonly holder: Holder;
  state: "resting" | "waiting" | "at work" = "resting";
  /** Leaves the line for a place. */
  leaveLine: () => void = () => {};
  /** Wakes the lane for its retry. */
  timer: Timer | undefined;
  #endpoint: EventEndpoint;
  /** Everything up to here was delivered, or is not for the endpoint. The store knows of it later. */
  #done: EventPosition;
  /** When the store last learned how far the endpoint is, or sent it; by the monotonic clock. */
  #recordedAt: number;
  #troubles = 0;
  /** By the monotonic clock. */
  #troubledUntil = -Infinity;
  #opened: { readonly sealed: string; readonly webhook: OpenWebhook } | undefined;

  constructor(endpoint: EventEndpoint, holder: Holder, now: number) {
    this.holder = holder;
    this.#endpoint = endpoint;
    this.#done = endpoint.progress?.position ?? 0;
    this.#recordedAt = now;
  }

  get endpoint(): EventEndpoint {
    return this.#endpoint;
  }

  get done(): EventPosition {
    return this.#done;
  }

  /** What this node knows of the endpoint. */
  get copy(): WebhookCopy {
    const { endpointId, revision } = this.#endpoint;
    return { holder: this.holder, endpointId, revision };
  }

  get isFailing(): boolean {
    return (this.#endpoint.progress?.failures ?? 0) > 0;
  }

  /** The store has answered with the endpoint. */
  learn(endpoint: EventEndpoint, now: number): void {
    const { progress } = endpoint;
    if (progress !== null) {
      const isMoved = progress.round !== this.#endpoint.progress?.round;
      this.#done = isMoved ? progress.position : Math.max(this.#done, progress.position);
    }
    this.#endpoint = endpoint;
    this.#recordedAt = now;
  }

  /** The same, for an answer that was asked for at this time. What the lane has recorded since, or will, is newer. */
  learnAsked(endpoint: EventEndpoint, asked: number): void {
    const isOlder = endpoint.revision < this.#endpoint.revision || this.#recordedAt > asked;
    if (this.state === "at work" || isOlder) return;
    this.learn(endpoint, this.#recordedAt);
  }

  skip(position: EventPosition): void {
    this.#done = Math.max(this.#done, position);
  }

  /** How long the lane has to wait before its next turn. Infinity: until somebody changes the endpoint. */
  waitMs(now: Instant, monotonic: number): number {
    const troubledMs = Math.max(0, this.#troubledUntil - monotonic);
    if (maySend(this.#endpoint, now)) return troubledMs;
    const retryTime = this.#endpoint.progress?.retryTime ?? now;
    // A retry would be allowed at that time only if nothing else forbids it.
    if (!maySend(this.#endpoint, retryTime)) return Infinity;
    return Math.max(troubledMs, retryTime - now);
  }

  worked(): void {
    this.#troubles = 0;
  }

  /** A turn has failed because of the store or a bug, not the receiver. Answers with how many have in a row. */
  failed(monotonic: number): number {
    this.#troubledUntil = monotonic + pauseAfterFailures(++this.#troubles);
    return this.#troubles;
  }

  hasMore(span: LogSpan | undefined): boolean {
    // A log whose events are all gone has nothing to tell.
    return span !== undefined && span.last > Math.max(this.#done, span.removedUpTo);
  }

  /** The store should learn what was left out, so that nobody reads it again. */
  isRecordDue(now: number): boolean {
    const unrecorded = this.#done - (this.#endpoint.progress?.position ?? 0);
    if (unrecorded <= 0) return false;
    return unrecorded >= mostUnrecorded || now - this.#recordedAt >= recordEveryMs;
  }

  /** Opened once for each change of them. */
  open(opener: (endpoint: EventEndpoint) => OpenWebhook): OpenWebhook {
    const { sealedSettings, sealedSecrets } = this.#endpoint;
    const sealed = `${sealedSettings} ${sealedSecrets}`;
    if (this.#opened?.sealed !== sealed) {
      this.#opened = { sealed, webhook: opener(this.#endpoint) };
    }
    return this.#opened.webhook;
  }
}
