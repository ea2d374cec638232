import type { CallOptions } from "../call-options.ts";
import { get } from "../transport/api-request.ts";
import type { Transport } from "../transport/transport.ts";
import { PagedList } from "../lists/paged-list.ts";
import type { PageQuery } from "../types/lists.ts";
import type {
  Activity,
  DeadLetterGroupList,
  Forecast,
  RangeQuery,
  Stats,
  TargetStats,
} from "../types/stats.ts";

/** What is due when, and how attempts went. */
export class Statistics {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Counts what is pending, overdue, due soon and dead.
   *
   * @example
   * ```ts
   * const { pending, overdue } = await postdate.stats.counts();
   * console.log(pending.exact ? pending.value : `at least ${pending.value}`, overdue.value);
   * ```
   */
  counts(options?: CallOptions): Promise<Stats> {
    return this.#transport.request(get("/v1/stats"), options);
  }

  /**
   * Attempts by outcome, duration and lateness: of the last hour by default, and of all targets.
   *
   * @example
   * ```ts
   * const { total } = await postdate.stats.activity({ targetId: "mail", bucket: "hour" });
   * console.log(total.attempts, total.outcomes["DELIVERED"], total.lateness.p99Ms);
   * ```
   */
  activity(query?: RangeQuery, options?: CallOptions): Promise<Activity> {
    return this.#transport.request(get("/v1/stats/activity", query), options);
  }

  /**
   * How many messages become due when: in the next day by default, and for all targets. `runs` are those that
   * recurring schedules will make. While `counting` is true, the next call knows more.
   *
   * @example
   * ```ts
   * const { items, overdue } = await postdate.stats.forecast({ bucket: "day" });
   * for (const { time, messages, runs } of items) console.log(time, messages + runs);
   * console.log(overdue);
   * ```
   */
  forecast(query?: RangeQuery, options?: CallOptions): Promise<Forecast> {
    return this.#transport.request(get("/v1/forecast", query), options);
  }

  /**
   * The dead letters of all targets, or of one, by what they have in common. The largest group comes first.
   *
   * @example
   * ```ts
   * const { items } = await postdate.stats.deadLetterGroups();
   * for (const { targetId, lastStatusCode, count } of items) console.log(targetId, lastStatusCode, count);
   * ```
   */
  deadLetterGroups(
    query?: Pick<RangeQuery, "targetId">,
    options?: CallOptions,
  ): Promise<DeadLetterGroupList> {
    return this.#transport.request(get("/v1/dead-letters/groups", query), options);
  }

  /**
   * What is in flight, waits, is dead and has failed lately: target by target, or of one target.
   *
   * @example
   * ```ts
   * for await (const { targetId, inFlight, maxConcurrency, waiting } of postdate.stats.targets()) {
   *   console.log(targetId, `${inFlight} of ${maxConcurrency}`, waiting.value);
   * }
   * ```
   */
  targets(
    query?: PageQuery & Pick<RangeQuery, "targetId">,
    options?: CallOptions,
  ): PagedList<TargetStats> {
    return new PagedList(this.#transport, "/v1/stats/targets", query, options);
  }
}
