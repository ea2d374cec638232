import type { Dispatcher } from "undici";
import type { AttemptReport } from "../../domain/attempt.ts";
import type { Instant } from "../../domain/message.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Timer, Timers } from "../../platform/timers.ts";
import type { AbortListeners } from "./abort-listeners.ts";
import type { Destroyable } from "../network/connect-to-any.ts";
import type { ConnectionUser } from "./connection.ts";
import { AttemptOver, failureReport, reportOf, stoppedText } from "./delivery-failures.ts";
import { ResponseExcerpt } from "./response-excerpt.ts";
import { parseRetryAfter } from "./retry-after.ts";

const mostBodyBytes = 16 * 1_024;
/** A target that reports every 20 s that it is still working needs 15 in the longest timeout. */
const mostInterimAnswers = 32;
const mostKibBeforeAnswer = 64;
const longestBodyMs = 1_000;
const shortestBodyMs = 50;

type ResponseHeaders = Record<string, string | string[] | undefined>;

export interface AttemptOptions {
  readonly accountId: string;
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
  readonly listeners: AbortListeners;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** When the attempt starts, by the store's clock. */
  readonly startTime: Instant;
  /** Texts that must not be stored from a response, in case the target echoes them. */
  readonly hidden: readonly string[];
  readonly resolve: (report: AttemptReport) => void;
}

/**
 * One POST, as a handler for undici: waiting → answered → over. The status decides the outcome. The attempt
 * reads the rest for a short while, only so that the connection can be used again. The rest cannot change
 * the outcome.
 */
export class WebhookAttempt implements ConnectionUser {
  isOver = false;
  readonly accountId: string;
  readonly #options: AttemptOptions;
  readonly #deadline: number;
  #timer: Timer;
  #unfinished: Destroyable | null = null;
  #controller: Dispatcher.DispatchController | null = null;
  #statusCode = 0;
  #retryAfterMs: number | null = null;
  #interimAnswers = 0;
  #bytesBeforeAnswer = 0;
  #bodyBytes = 0;
  #excerpt: ResponseExcerpt | null = null;

  constructor(options: AttemptOptions) {
    const { clock, timers, listeners, signal, timeoutMs } = options;
    this.accountId = options.accountId;
    this.#options = options;
    this.#deadline = clock.monotonic() + timeoutMs;
    this.#timer = timers.after(timeoutMs, () => this.#expire());
    listeners.add(signal, this);
  }

  get isAwaitingAnswer(): boolean {
    return !this.isOver && !this.#isAnswered;
  }

  get #isAnswered(): boolean {
    return this.#statusCode !== 0;
  }

  connecting(unfinished: Destroyable): void {
    this.#unfinished = unfinished;
  }

  stop(): void {
    if (this.#isAnswered) return this.#drop(this.#answerReport());
    this.#drop(failureReport("CONNECTION_FAILED", stoppedText));
  }

  /** One chunk may hold an answer and much of its body. Only the bytes that came before it count. */
  receivedBytes(count: number): void {
    const isTooMuch = this.#bytesBeforeAnswer > mostKibBeforeAnswer * 1_024;
    this.#bytesBeforeAnswer += count;
    if (isTooMuch) this.#failEarly(`more than ${mostKibBeforeAnswer} KiB before it answered`);
  }

  receivedInterim(): void {
    this.#interimAnswers += 1;
    if (this.#interimAnswers <= mostInterimAnswers) return;
    this.#failEarly(`more than ${mostInterimAnswers} interim answers (1xx) and no final one`);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#unfinished = null;
    this.#controller = controller;
    if (this.isOver) controller.abort(new AttemptOver());
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: ResponseHeaders,
  ): void {
    if (statusCode < 200) return this.receivedInterim();
    this.#statusCode = statusCode;
    if (statusCode === 429 || statusCode === 503) {
      this.#retryAfterMs = parseRetryAfter(headers["retry-after"], this.#now());
    }
    if (statusCode === 204 || headers["content-length"] === "0") return;
    const remainingMs = this.#remainingMs();
    const bodyMs = Math.max(shortestBodyMs, Math.min(longestBodyMs, remainingMs));
    this.#timer.cancel();
    this.#timer = this.#options.timers.after(bodyMs, () => this.#expire());
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.isOver) return;
    this.#excerpt ??= new ResponseExcerpt(this.#options.hidden);
    this.#excerpt.add(chunk);
    this.#bodyBytes += chunk.length;
    if (this.#bodyBytes > mostBodyBytes) this.#drop(this.#answerReport());
  }

  onResponseEnd(): void {
    this.#finish(this.#answerReport());
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    this.#finish(this.#isAnswered ? this.#answerReport() : reportOf(error));
  }

  #remainingMs(): number {
    return this.#deadline - this.#options.clock.monotonic();
  }

  /** Uses the store's clock, because this machine's own may be wrong. */
  #now(): Instant {
    const { startTime, timeoutMs } = this.#options;
    return Math.floor(startTime + timeoutMs - this.#remainingMs());
  }

  #expire(): void {
    if (this.#isAnswered) return this.#drop(this.#answerReport());
    const text = `the target did not answer within ${this.#options.timeoutMs} ms`;
    this.#drop(failureReport("TIMEOUT", text));
  }

  #failEarly(sent: string): void {
    this.#drop(failureReport("CONNECTION_FAILED", `the target sent ${sent}`));
  }

  #answerReport(): AttemptReport {
    const statusCode = this.#statusCode;
    const isDelivered = statusCode >= 200 && statusCode <= 299;
    return {
      outcome: isDelivered ? "DELIVERED" : "BAD_STATUS",
      statusCode,
      error: isDelivered ? null : `the target answered ${statusCode}`,
      response: this.#excerpt?.text() ?? null,
      retryAfterMs: this.#retryAfterMs,
    };
  }

  /** Ends the attempt and closes its connection. */
  #drop(report: AttemptReport): void {
    this.#finish(report);
    this.#controller?.abort(new AttemptOver());
  }

  #finish(report: AttemptReport): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#timer.cancel();
    this.#options.listeners.remove(this.#options.signal, this);
    this.#unfinished?.destroy(new AttemptOver());
    this.#options.resolve(report);
  }
}
