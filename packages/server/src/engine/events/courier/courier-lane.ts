import type { EventEndpoint } from "../../../domain/events/event-endpoint.ts";
import { isSameState, maySend } from "../../../domain/events/event-endpoint.ts";
import type { Bookmark } from "../../../domain/events/bookmark.ts";
import type { Instant } from "../../../domain/instant.ts";
import type { Timer } from "../../../platform/timers.ts";
import type { Holder, WebhookCopy } from "../../../storage/store.ts";
import type { SeenSpan } from "../reading/log-watch.ts";
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
  #place: Bookmark;
  /** The number of the look at the log that has seen the place. 0: none has. */
  #seenBy = 0;
  #ownRetry: { readonly retryTime: Instant; readonly from: number } | undefined;
  /** When the store last learned how far the endpoint is, or sent it; by the monotonic clock. */
  #recordedAt: number;
  #troubles = 0;
  /** By the monotonic clock. */
  #troubledUntil = -Infinity;
  #opened: { readonly sealed: string; readonly webhook: OpenWebhook } | undefined;

  constructor(endpoint: EventEndpoint, holder: Holder, now: number) {
    this.holder = holder;
    this.#endpoint = endpoint;
    this.#place = { position: endpoint.progress?.position ?? 0, mark: null };
    this.#recordedAt = now;
  }

  get endpoint(): EventEndpoint {
    return this.#endpoint;
  }

  get place(): Bookmark {
    return this.#place;
  }

  /** What this node knows of the endpoint. */
  get copy(): WebhookCopy {
    const { endpointId, revision, updateTime } = this.#endpoint;
    return { holder: this.holder, endpointId, revision, updateTime };
  }

  get isFailing(): boolean {
    return (this.#endpoint.progress?.failures ?? 0) > 0;
  }

  /** The store has answered with the endpoint. */
  learn(endpoint: EventEndpoint, now: number): void {
    const [before, progress] = [this.#endpoint.progress, endpoint.progress];
    if (before !== null && progress !== null) {
      const { position } = progress;
      // A caller has moved it, or the whole store was set back to an earlier state.
      const isMoved =
        progress.round !== before.round ||
        position < before.position ||
        this.#isOfOtherHistory(endpoint);
      if (isMoved || position > this.#place.position) this.#place = { position, mark: null };
    }
    this.#endpoint = endpoint;
    this.#recordedAt = now;
  }

  /** The whole store was set back, and another change has got the same revision. */
  #isOfOtherHistory(endpoint: EventEndpoint): boolean {
    return endpoint.revision === this.#endpoint.revision && !isSameState(endpoint, this.#endpoint);
  }

  /** The same, for an answer that was asked for at this time. What the lane has recorded since, or will, is newer. */
  learnAsked(endpoint: EventEndpoint, asked: number): void {
    const isOlder = endpoint.revision < this.#endpoint.revision || this.#recordedAt > asked;
    if (this.state === "at work" || isOlder) return;
    this.learn(endpoint, this.#recordedAt);
  }

  /** Everything up to the place is done with, in the log as it was at this look. */
  reach(place: Bookmark, look: number): void {
    if (place.position < this.#place.position) return;
    this.#place = place;
    this.#seenBy = look;
  }

  /** The next request is due so long after the one that has just been recorded, whatever the clocks of others do. */
  rest(delayMs: number, monotonic: number): void {
    const retryTime = this.#endpoint.progress?.retryTime ?? null;
    this.#ownRetry = retryTime === null ? undefined : { retryTime, from: monotonic + delayMs };
  }

  /** How long the lane has to wait before its next turn. Infinity: until somebody changes the endpoint. */
  waitMs(now: Instant, monotonic: number): number {
    const retryTime = this.#endpoint.progress?.retryTime ?? now;
    // A retry would be allowed at that time only if nothing else forbids it.
    if (!maySend(this.#endpoint, retryTime)) return Infinity;
    const own = this.#ownRetry?.retryTime === retryTime ? this.#ownRetry : undefined;
    const untilRetryMs = own === undefined ? retryTime - now : own.from - monotonic;
    return Math.max(0, untilRetryMs, this.#troubledUntil - monotonic);
  }

  worked(): void {
    this.#troubles = 0;
  }

  /** A turn has failed because of the store or a bug, not the receiver. Answers with how many have in a row. */
  failed(monotonic: number): number {
    this.#troubledUntil = monotonic + pauseAfterFailures(++this.#troubles);
    return this.#troubles;
  }

  hasMore(span: SeenSpan | undefined): boolean {
    if (span === undefined) return false;
    const { position } = this.#place;
    // A log whose events are all gone has nothing to tell.
    if (span.last > position) return span.last > span.removedUpTo;
    // What stands at the place must be known to notice when it is another log.
    if (span.last === position) return this.#seenBy === 0 && position > span.removedUpTo;
    return span.look > this.#seenBy;
  }

  /** The store should learn what was left out, so that nobody reads it again. */
  isRecordDue(now: number): boolean {
    const unrecorded = this.#place.position - (this.#endpoint.progress?.position ?? 0);
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
