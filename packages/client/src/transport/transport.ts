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
import type { Retries } from "./retries.ts";
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
}

/** What a caller may want to know of a request besides its content. */
export interface Trace {
  tries: number;
  requestId: string | null;
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
    const given = { ...options, timeoutMs: options.timeoutMs ?? this.#options.timeoutMs };
    const { timeoutMs, headers } = checkOptions(given);
    const deadline = new Deadline(timeoutMs, options.signal);
    try {
      deadline.check();
      return await work({ deadline, headers: { ...this.#options.headers, ...headers } });
    } finally {
      deadline.release();
    }
  }

  /** Sends a request until it has an answer that a repetition cannot improve. */
  async send<Content>(
    request: ApiRequest,
    { deadline, headers }: Call,
    trace = newTrace(),
  ): Promise<Content> {
    let lastFailure: unknown;
    for (;;) {
      trace.tries++;
      try {
        const answer = await this.#try(request, headers, deadline);
        trace.requestId = answer.headers.get("x-request-id");
        return contentOf(request, answer, this.url) as Content;
      } catch (failure) {
        deadline.check(lastFailure);
        lastFailure = failure;
        const { retries } = this.#options;
        const waitMs = waitBeforeRetry(failure, trace.tries, request.isRepeatable, retries);
        // Nothing is gained by waiting until the deadline to say the same.
        if (waitMs === undefined || waitMs >= deadline.remainingMs) throw failure;
        await deadline.pause(waitMs);
      }
    }
  }

  async #try(request: ApiRequest, headers: Call["headers"], deadline: Deadline): Promise<Answer> {
    if (request.isAnonymous === true) return this.#exchange(request, headers, deadline);
    const credential = await deadline.race(this.#credentials.current());
    const answer = await this.#exchange(request, headers, deadline, credential);
    if (answer.status !== 401 || !this.#credentials.replaces(credential)) return answer;
    const renewed = await deadline.race(this.#credentials.current());
    return this.#exchange(request, headers, deadline, renewed);
  }

  #exchange(
    request: ApiRequest,
    headers: Call["headers"],
    deadline: Deadline,
    credential?: string,
  ): Promise<Answer> {
    const { method, path, query, body, form, idempotencyKey } = request;
    const content = form === undefined ? body : parametersOf(form);
    const init: RequestInit = {
      method,
      headers: {
        accept: request.isText === true ? "*/*" : "application/json",
        ...headers,
        ...(content !== undefined && {
          "content-type": form ? "application/x-www-form-urlencoded" : "application/json",
        }),
        ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
        ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
      },
      ...(content !== undefined && { body: content }),
    };
    const search = query && parametersOf(query);
    const address = this.url + path + (search ? `?${search}` : "");
    return exchange(this.#options.fetch, address, init, deadline);
  }
}
