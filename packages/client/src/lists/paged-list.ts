import type { CallOptions } from "../call-options.ts";
import { get } from "../transport/api-request.ts";
import type { Transport } from "../transport/transport.ts";
import type { FindQuery, Page, TimeQuery } from "../types/lists.ts";

/** The filters of any list, as they travel. */
type ListQuery = TimeQuery &
  Pick<FindQuery, "targetId" | "key" | "scheduleId" | "order"> & {
    paused?: boolean | undefined;
    state?: string | undefined;
    label?: string | undefined;
  };

/**
 * A list that the service hands out in pages. Nothing is asked before it is walked.
 *
 * Items that change while you walk move within the list: rescheduling each message of a list as you walk
 * it may show you the same messages again.
 *
 * @example
 * ```ts
 * for await (const message of postdate.targets.scheduled("mail")) console.log(message.messageId);
 * ```
 */
export class PagedList<Item, More = object> implements AsyncIterable<Item> {
  readonly #firstToken: string | undefined;
  readonly #page: (pageToken?: string) => Promise<Page<Item> & More>;

  constructor(transport: Transport, path: string, query: ListQuery = {}, options?: CallOptions) {
    this.#firstToken = query.pageToken;
    this.#page = (pageToken) =>
      transport.request({ ...get(path, { ...query, pageToken }), has: "items" }, options);
  }

  /**
   * One page: the first, or the one of the `pageToken` in the query.
   *
   * @example
   * ```ts
   * const { items, nextPageToken } = await postdate.targets.list({ limit: 100 }).page();
   * console.log(items.length, nextPageToken);
   * ```
   */
  page(): Promise<Page<Item> & More> {
    return this.#page(this.#firstToken);
  }

  /**
   * Each page, as it arrives.
   *
   * @example
   * ```ts
   * for await (const { items } of postdate.targets.deadLetters("mail").pages()) console.log(items.length);
   * ```
   */
  async *pages(): AsyncGenerator<Page<Item> & More, void, undefined> {
    let token = this.#firstToken;
    do {
      const page: Page<Item> & More = await this.#page(token);
      yield page;
      token = page.nextPageToken ?? undefined;
    } while (token !== undefined);
  }

  /**
   * Everything in one array. Walk a list that may be long instead.
   *
   * @example
   * ```ts
   * const targets = await postdate.targets.list({ limit: 100 }).all();
   * console.log(targets.length);
   * ```
   */
  async all(): Promise<Item[]> {
    const all: Item[] = [];
    for await (const item of this) all.push(item);
    return all;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* page.items;
  }
}
