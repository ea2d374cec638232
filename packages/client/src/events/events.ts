import type { CallOptions } from "../call-options.ts";
import { PagedList } from "../lists/paged-list.ts";
import { find, get, isoTime, once, path, repeatable } from "../transport/api-request.ts";
import type { Transport } from "../transport/transport.ts";
import type {
  CreateEventEndpoint,
  EventList,
  EventEndpoint,
  EventTestResult,
  EventEndpointWithSecret,
  ReadEvent,
  ReadEventsQuery,
  UpdateEventEndpoint,
} from "../types/events.ts";
import type { PageQuery } from "../types/lists.ts";
import type { RotateSecret } from "../types/targets.ts";
import { followEvents } from "./follow-events.ts";
import type { FollowOptions } from "./follow-events.ts";

export interface RewindOptions extends CallOptions {
  /** Whether events may be left out, where the endpoint is not as far yet. */
  readonly skip?: boolean | undefined;
}

const allEndpoints = "/v1/event-endpoints";

/** What happens to messages, targets, schedules and jobs, as durable subscriptions tell it. */
export class Events {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Creates an event endpoint. It gets what happens from now on. A webhook's signing secret is in the answer, and never
   * shown again.
   *
   * @example
   * ```ts
   * const { secret } = await postdate.events.create({
   *   endpointId: "alarms",
   *   kind: "webhook",
   *   url: "https://chat.example.com/hooks/1",
   *   types: ["message.dead_lettered", "target.failing"],
   * });
   * console.log("keep this:", secret);
   * ```
   */
  async create(
    endpoint: CreateEventEndpoint,
    options?: CallOptions,
  ): Promise<EventEndpointWithSecret> {
    return this.#transport.request(once("POST", allEndpoints, endpoint), options);
  }

  /**
   * All event endpoints of the account, by `endpointId`. There are at most 10.
   *
   * @example
   * ```ts
   * for await (const { endpointId, kind } of postdate.events.list()) console.log(endpointId, kind);
   * ```
   */
  list(query?: PageQuery, options?: CallOptions): PagedList<EventEndpoint> {
    return new PagedList(this.#transport, allEndpoints, query, options);
  }

  /**
   * The event endpoint, or null if there is none with this id.
   *
   * @example
   * ```ts
   * const endpoint = await postdate.events.get("alarms");
   * console.log(endpoint?.progress?.behind);
   * ```
   */
  async get(endpointId: string, options?: CallOptions): Promise<EventEndpoint | null> {
    return this.#transport.request(find(pathOf(endpointId), "E-DI-8001"), options);
  }

  /**
   * Changes the given fields.
   *
   * @example
   * ```ts
   * await postdate.events.update("alarms", { types: ["message.dead_lettered"] });
   * ```
   */
  async update(
    endpointId: string,
    changes: UpdateEventEndpoint,
    options?: CallOptions,
  ): Promise<EventEndpoint> {
    return this.#transport.request(repeatable("PATCH", pathOf(endpointId), changes), options);
  }

  /**
   * Removes the endpoint. Its streams end.
   *
   * @example
   * ```ts
   * await postdate.events.remove("alarms");
   * ```
   */
  async remove(endpointId: string, options?: CallOptions): Promise<EventEndpoint> {
    return this.#transport.request(once("DELETE", pathOf(endpointId)), options);
  }

  /**
   * Lets a webhook get nothing until it is resumed. What happens meanwhile is kept for it.
   *
   * @example
   * ```ts
   * await postdate.events.pause("alarms");
   * ```
   */
  async pause(endpointId: string, options?: CallOptions): Promise<EventEndpoint> {
    return this.#transport.request(repeatable("POST", pathOf(endpointId, "/pause")), options);
  }

  /**
   * Sends to a webhook again that was paused, or that was disabled because it answered 410.
   *
   * @example
   * ```ts
   * await postdate.events.resume("alarms");
   * ```
   */
  async resume(endpointId: string, options?: CallOptions): Promise<EventEndpoint> {
    return this.#transport.request(repeatable("POST", pathOf(endpointId, "/resume")), options);
  }

  /**
   * Sends one test event to a webhook now, and answers how that went.
   *
   * @example
   * ```ts
   * const { attempt } = await postdate.events.test("alarms");
   * console.log(attempt.outcome, attempt.statusCode);
   * ```
   */
  async test(endpointId: string, options?: CallOptions): Promise<EventTestResult> {
    return this.#transport.request(once("POST", pathOf(endpointId, "/test")), options);
  }

  /**
   * Makes another signing secret for a webhook. The old one also signs for a while.
   *
   * @example
   * ```ts
   * const { secret } = await postdate.events.rotateSecret("alarms", { overlapMs: 3_600_000 });
   * console.log("keep this:", secret);
   * ```
   */
  async rotateSecret(
    endpointId: string,
    rotation?: RotateSecret,
    options?: CallOptions,
  ): Promise<EventEndpointWithSecret> {
    return this.#transport.request(
      once("POST", pathOf(endpointId, "/rotate-secret"), rotation),
      options,
    );
  }

  /**
   * Sends a webhook everything again from this time on, as far as it is kept. With `skip` the time may also be ahead of
   * where the webhook is: it is not sent what happened before.
   *
   * @example
   * ```ts
   * await postdate.events.rewind("alarms", new Date(Date.now() - 3_600_000));
   * ```
   */
  async rewind(
    endpointId: string,
    to: Date | string,
    { skip, ...options }: RewindOptions = {},
  ): Promise<EventEndpoint> {
    return this.#transport.request(
      repeatable("POST", pathOf(endpointId, "/rewind"), {
        to: to instanceof Date ? isoTime(to, "to") : to,
        skip,
      }),
      options,
    );
  }

  /**
   * Events after a position, at most `limit` of them. With `waitMs` the answer comes as soon as there is one.
   * Without `after` and `from` it tells the position of now. `stream` does all of this by itself.
   *
   * @example
   * ```ts
   * let { events, nextPosition } = await postdate.events.read("audit-feed", { from: "oldest" });
   * while (events.length > 0) {
   *   for (const { type, subject } of events) console.log(type, subject);
   *   ({ events, nextPosition } = await postdate.events.read("audit-feed", { after: nextPosition }));
   * }
   * ```
   */
  async read(
    endpointId: string,
    query: ReadEventsQuery = {},
    options?: CallOptions,
  ): Promise<EventList> {
    return this.#transport.request(get(pathOf(endpointId, "/events"), query), options);
  }

  /**
   * Events as they happen. Connects again when the connection breaks, and misses none that is still kept. Keep the
   * `position` of the last event that you handled, and begin there the next time.
   *
   * @example
   * ```ts
   * for await (const event of postdate.events.stream("alarms", { from: "oldest" })) {
   *   console.log(event.time, event.type, event.subject);
   * }
   * ```
   */
  stream(
    endpointId: string,
    options: FollowOptions = {},
  ): AsyncGenerator<ReadEvent, void, undefined> {
    return followEvents(this.#transport, pathOf(endpointId), options);
  }
}

function pathOf(endpointId: string, then = ""): string {
  return path`/v1/event-endpoints/${endpointId}` + then;
}
