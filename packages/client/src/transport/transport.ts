import { ApiError } from "../api-error.ts";
import type { CallOptions } from "../call-options.ts";
import { checkOptions } from "../call-options.ts";
import type { Credentials } from "../credentials/credentials.ts";
import type { Answer } from "./answer.ts";
import { contentOf } from "./answer.ts";
import type { ApiRequest } from "./api-request.ts";
import { parametersOf } from "./api-request.ts";
import { Deadline } from "./deadline.ts";
import { exchange } from "./exchange.ts";
import type { Fetch } from "./exchange.ts";
import type { Failure, Retries } from "./retries.ts";
import { waitBeforeRetry } from "./retries.ts";

export interface TransportOptions {
  readonly url: string;
  readonly fetch: Fetch;
  readonly timeoutMs: number;
  readonly retries: Retries;
  readonly headers: Readonly<Record<string, string>>;
}

/** A call under way. It may need several requests, and each may be sent several times. */
export interface Call {
  readonly deadline: Deadline;
  /** Besides those of the client. */
  readonly headers?: CallOptions["headers"];
  /** Hears why the last try failed, before the wait for the next. */
  onWait?: (failure: unknown, waitMs: number) => void;
  /** How many requests were sent. */
  sent: number;
  /** The last answer. */
  answer?: Answer;
}

/** The message was delivered or has ended, or the job has. */
const tooLate = /(?:500[34]|7003)$/;

/** Sends requests with the credential and the retries of one client. */
export class Transport {
  readonly url: string;
  readonly #options: TransportOptions;
  readonly #credentials: Credentials;

  constructor(options: TransportOptions, credentials: (transport: Transport) => Credentials) {
    this.url = options.url;
    this.#options = options;
    this.#credentials = credentials(this);
  }

  /** A call of one request. */
  request<Content>(request: ApiRequest, options?: CallOptions): Promise<Content> {
    return this.call(options, (call) => this.send(request, call));
  }

  /** The one field that matters of an answer; null if there is no such thing. */
  async field<Value>(
    has: NonNullable<ApiRequest["has"]>,
    request: ApiRequest,
    options?: CallOptions,
  ): Promise<Value> {
    const content = await this.request<Record<string, Value> | null>({ ...request, has }, options);
    return content?.[has] ?? (null as Value);
  }

  /**
   * A change that cannot be made twice. `isMade` tells whether what `look` finds shows the change: an earlier try
   * may have made it, and its answer was lost.
   */
  change<Content>(
    request: ApiRequest,
    look: ApiRequest,
    isMade: (found: Content) => boolean,
    options?: CallOptions,
  ): Promise<Content> {
    return this.call(options, async (call) => {
      try {
        return await this.send<Content>(request, call);
      } catch (error) {
        const isTooLate = error instanceof ApiError && tooLate.test(error.code);
        if (!isTooLate || call.sent === 1) throw error;
        const found = await this.send<Content | null>(look, call);
        if (found && isMade(found)) return found;
        throw error;
      }
    });
  }

  /** Runs a call, with one deadline over everything that it sends. */
  async call<Result>(
    options: CallOptions = {},
    work: (call: Call) => Promise<Result>,
  ): Promise<Result> {
    const headers = checkOptions(options);
    const timeoutMs = options.timeoutMs ?? this.#options.timeoutMs;
    const deadline = new Deadline(timeoutMs, options.signal);
    try {
      deadline.check();
      return await work({ deadline, headers, sent: 0 });
    } finally {
      deadline.release();
    }
  }

  /** Sends a request until it has an answer that a repetition cannot improve. */
  async send<Content>(request: ApiRequest, call: Call): Promise<Content> {
    const { deadline } = call;
    let mayReplaceCredential = true;
    for (let tries = 1; ; tries++) {
      let credential: string | undefined;
      // Before there is a credential, nothing is sent.
      let isRepeatable = true;
      try {
        // What is beside the API asks for no credential: health, metrics, OAuth.
        if (request.path.startsWith("/v1/")) {
          credential = await this.#credentials.current(deadline);
        }
        isRepeatable = !request.isOnce;
        return await this.sendOnce(request, call, credential);
      } catch (error) {
        deadline.check();
        deadline.failure = error;
        const failure = error as Failure;
        const isRefused = failure.status === 401 && credential && mayReplaceCredential;
        if (isRefused && this.#credentials.replaces?.(credential!)) {
          mayReplaceCredential = false;
          continue;
        }
        const waitMs = waitBeforeRetry(failure, tries, isRepeatable, this.#options.retries);
        // Nothing is gained by waiting until the deadline to say the same.
        if (waitMs >= deadline.remainingMs) throw error;
        call.onWait?.(error, waitMs);
        await deadline.pause(waitMs);
      }
    }
  }

  /** One try. */
  async sendOnce<Content>(request: ApiRequest, call: Call, credential?: string): Promise<Content> {
    const { method, path, query, body, form, idempotencyKey, isStream } = request;
    const init = {
      method,
      headers: Object.fromEntries(
        parametersOf({
          ...this.#options.headers,
          ...call.headers,
          "content-type": body && "application/json",
          authorization: credential && `Bearer ${credential}`,
          "idempotency-key": idempotencyKey,
        }),
      ),
      body: form ? parametersOf(form) : (body ?? null),
    };
    const search = String(parametersOf(query ?? {}));
    const url = this.url + path + (search && `?${search}`);
    call.sent++;
    call.answer = await exchange(this.#options.fetch, url, init, call.deadline, {
      credential,
      isStream,
    });
    return contentOf(request, call.answer, this.url) as Content;
  }
}
