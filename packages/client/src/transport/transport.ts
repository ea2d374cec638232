import type { CallOptions } from "../call-options.ts";
import { checkHeaders, checkOptions } from "../call-options.ts";
import type { Credentials } from "../credentials/credentials.ts";
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
  readonly headers: Readonly<Record<string, string>>;
  /** Hears why the last try failed, before the wait for the next. */
  readonly beforeWait?: (failure: unknown, waitMs: number) => void;
}

/** What a caller may want to know of a request besides its content. */
export interface Trace {
  /** How often it was sent. */
  tries: number;
  requestId: string | null;
  keyOutcome?: string | null;
}

export function newTrace(): Trace {
  return { tries: 0, requestId: null };
}

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

  /** The items of a list that comes whole. */
  async items<Item>(request: ApiRequest, options?: CallOptions): Promise<Item[]> {
    const { items } = await this.request<{ items: Item[] }>({ ...request, has: "items" }, options);
    return items;
  }

  /** Runs a call, with one deadline over everything that it sends. */
  async call<Result>(
    options: CallOptions = {},
    work: (call: Call) => Promise<Result>,
  ): Promise<Result> {
    checkOptions(options);
    const timeoutMs = options.timeoutMs ?? this.#options.timeoutMs;
    let { headers } = this.#options;
    if (options.headers) headers = { ...headers, ...checkHeaders(options.headers) };
    const deadline = new Deadline(timeoutMs, options.signal);
    try {
      deadline.check();
      return await work({ deadline, headers });
    } finally {
      deadline.release();
    }
  }

  /** Sends a request until it has an answer that a repetition cannot improve. */
  async send<Content>(request: ApiRequest, call: Call, trace = newTrace()): Promise<Content> {
    const { deadline } = call;
    let mayReplaceCredential = true;
    for (let tries = 1; ; tries++) {
      let credential: string | undefined;
      // Before there is a credential, nothing is sent.
      let isRepeatable = true;
      try {
        if (!request.isAnonymous) credential = await this.#credentials.current(deadline);
        ({ isRepeatable } = request);
        trace.tries++;
        return await this.sendOnce(request, call, credential, trace);
      } catch (error) {
        deadline.check();
        deadline.lastFailure = error;
        const failure = error as Failure;
        const isRefused = failure.status === 401 && credential && mayReplaceCredential;
        if (isRefused && this.#credentials.replaces?.(credential!)) {
          mayReplaceCredential = false;
          continue;
        }
        const waitMs = waitBeforeRetry(failure, tries, isRepeatable, this.#options.retries);
        // Nothing is gained by waiting until the deadline to say the same.
        if (waitMs === undefined || waitMs >= deadline.remainingMs) throw error;
        call.beforeWait?.(error, waitMs);
        await deadline.pause(waitMs);
      }
    }
  }

  /** One try. */
  async sendOnce<Content>(
    request: ApiRequest,
    { deadline, headers }: Call,
    credential?: string,
    trace = newTrace(),
  ): Promise<Content> {
    const { method, path, query, body, form, idempotencyKey } = request;
    const init = {
      method,
      headers: Object.fromEntries(
        parametersOf({
          ...headers,
          "content-type": body && "application/json",
          authorization: credential && `Bearer ${credential}`,
          "idempotency-key": idempotencyKey,
        }),
      ),
      body: form ? parametersOf(form) : (body ?? null),
    };
    const search = String(parametersOf(query ?? {}));
    const url = this.url + path + (search && `?${search}`);
    const answer = await exchange(this.#options.fetch, url, init, deadline, credential);
    trace.requestId = answer.headers.get("x-request-id");
    trace.keyOutcome = answer.headers.get("postdate-key-outcome");
    return contentOf(request, answer, this.url) as Content;
  }
}
