import { isSameState } from "../../../domain/events/event-endpoint.ts";
import type { EventEndpoint } from "../../../domain/events/event-endpoint.ts";
import type { EventPosition } from "../../../domain/events/event.ts";
import { PlacesInTurn } from "../../../platform/places-in-turn.ts";
import type { RunningPart } from "../../../platform/running-parts.ts";
import type { Timers } from "../../../platform/timers.ts";
import { StoreUnavailable } from "../../../storage/store.ts";
import type { EventPage, Store } from "../../../storage/store.ts";
import type { LogWatch, SeenSpan } from "./log-watch.ts";
import { RepeatedLook } from "../../../platform/repeated-look.ts";

export interface EventFeedOptions {
  readonly store: Pick<Store, "logSpans" | "listEndpoints" | "readEvents">;
  readonly logs: Pick<LogWatch, "ask" | "watch">;
  readonly timers: Timers;
  readonly observer: { trouble(error: unknown, doing: string): void };
}

/** How late a reader who waits learns that another node has changed or removed its endpoint. */
const endpointsEveryMs = 2_000;
/** Accounts take turns with their reads. */
const readPlaces = { places: 16, placesOfOne: 2 };

/** What several readers of one account share. */
interface Account {
  readers: number;
  watch: { close(): void } | undefined;
  span: SeenSpan;
  endpoints: ReadonlyMap<string, EventEndpoint>;
  /** The number of the look that has seen these endpoints. */
  seenBy: number;
  readonly waiters: Set<Waiter>;
  /** Reads under way, by what they read. */
  readonly reads: Map<string, Promise<EventPage | undefined>>;
}

interface Waiter {
  readonly after: EventPosition;
  readonly wake: () => void;
}

/** Tells everybody who reads events when there is something to read, and reads it once for all at the same place. */
export class EventFeed implements RunningPart {
  readonly #options: EventFeedOptions;
  readonly #accounts = new Map<string, Account>();
  readonly #reads = new PlacesInTurn(readPlaces);
  readonly #looks: RepeatedLook;
  readonly #ended = new AbortController();
  /** Looks at endpoints have numbers, in the order in which they were asked. */
  #lastLook = 0;

  constructor(options: EventFeedOptions) {
    this.#options = options;
    this.#looks = new RepeatedLook({
      timers: options.timers,
      look: () => this.#lookAtEndpoints(),
      onFailure: (error) => options.observer.trouble(error, "looking at event endpoints"),
    });
  }

  async start(): Promise<void> {}

  /** All readers end at once: the server has nothing more for them. */
  async stop(): Promise<void> {
    this.#ended.abort();
    for (const { waiters } of this.#accounts.values()) for (const { wake } of waiters) wake();
    await this.#looks.stop();
  }

  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** An endpoint of the account was created, changed or removed at this node. */
  endpointsChanged(accountId: string): void {
    const account = this.#accounts.get(accountId);
    if (account === undefined) return;
    this.#readEndpoints(accountId, account).catch((error: unknown) =>
      this.#options.observer.trouble(error, "looking at event endpoints"),
    );
  }

  async follow(accountId: string) {
    if (this.#ended.signal.aborted) throw new StoreUnavailable("the server is stopping");
    const { store, logs } = this.#options;
    const look = ++this.#lastLook;
    const asked = logs.ask();
    // Both are read anew: the caller may have just come from another node.
    const [spans, endpoints] = await Promise.all([
      store.logSpans([accountId]),
      store.listEndpoints(accountId),
    ]);
    const account = this.#join(accountId);
    this.#seen(account, endpoints, look);
    const span = spans.get(accountId);
    if (span !== undefined) this.#seenLog(account, { ...span, look: asked });
    return this.#followerOf(accountId, account);
  }

  #followerOf(accountId: string, account: Account) {
    return {
      get span() {
        return account.span;
      },
      endpoint: (endpointId: string) => account.endpoints.get(endpointId),
      after: (position: EventPosition, signal: AbortSignal) =>
        this.#after(accountId, account, position, signal),
      read: (after: EventPosition, limit: number) => this.#read(accountId, account, after, limit),
      leave: () => this.#leave(accountId, account),
    };
  }

  #join(accountId: string): Account {
    const account = this.#accounts.get(accountId) ?? {
      readers: 0,
      watch: undefined,
      span: { removedUpTo: 0, last: 0, look: 0 },
      endpoints: new Map(),
      seenBy: 0,
      waiters: new Set(),
      reads: new Map(),
    };
    this.#accounts.set(accountId, account);
    account.readers++;
    this.#looks.need(endpointsEveryMs);
    return account;
  }

  #leave(accountId: string, account: Account): void {
    if (--account.readers > 0) return;
    account.watch?.close();
    this.#accounts.delete(accountId);
  }

  #after(
    accountId: string,
    account: Account,
    position: EventPosition,
    signal: AbortSignal,
  ): Promise<void> {
    const isOver = signal.aborted || this.#ended.signal.aborted;
    if (isOver || account.span.last > position) return Promise.resolve();
    account.watch ??= this.#options.logs.watch(accountId, (span) => this.#seenLog(account, span));
    return new Promise((resolve) => {
      const wake = (): void => {
        account.waiters.delete(waiter);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      const waiter = { after: position, wake };
      account.waiters.add(waiter);
      signal.addEventListener("abort", wake, { once: true });
    });
  }

  /** Looks may be answered out of order. Who waits at the end of a log that was set back has to look again, too. */
  #seenLog(account: Account, span: SeenSpan): void {
    if (span.look < account.span.look) return;
    account.span = span;
    for (const { after, wake } of account.waiters) if (span.last !== after) wake();
  }

  #read(
    accountId: string,
    account: Account,
    after: EventPosition,
    limit: number,
  ): Promise<EventPage | undefined> {
    const { reads } = account;
    const key = `${after} ${limit}`;
    let read = reads.get(key);
    if (read === undefined) {
      read = this.#reads
        .run(accountId, () => this.#readPage(accountId, account, after, limit))
        .finally(() => reads.delete(key));
      reads.set(key, read);
    }
    return read;
  }

  /**
   * Another node may have answered a change of a filter before the events of this page happened. The look behind the
   * page sees that change, so no event is left out that the endpoint subscribes to.
   */
  async #readPage(
    accountId: string,
    account: Account,
    after: EventPosition,
    limit: number,
  ): Promise<EventPage | undefined> {
    const { store, logs } = this.#options;
    const look = logs.ask();
    const page = await store.readEvents(accountId, { after, limit });
    if (page === undefined) return undefined;
    const { removedUpTo, last } = page;
    this.#seenLog(account, { removedUpTo, last, look });
    if (page.events.length > 0) await this.#readEndpoints(accountId, account);
    return page;
  }

  async #lookAtEndpoints(): Promise<number | null> {
    for (const [accountId, account] of this.#accounts) {
      // oxlint-disable-next-line eslint/no-await-in-loop -- One after the other leaves the store to others.
      await this.#readEndpoints(accountId, account);
      if (this.#ended.signal.aborted) break;
    }
    return this.#accounts.size === 0 ? null : endpointsEveryMs;
  }

  async #readEndpoints(accountId: string, account: Account): Promise<void> {
    const look = ++this.#lastLook;
    this.#seen(account, await this.#options.store.listEndpoints(accountId), look);
  }

  /** Looks may be answered out of order. Readers who wait learn of a change, too: they look again. */
  #seen(account: Account, endpoints: readonly EventEndpoint[], look: number): void {
    if (look < account.seenBy) return;
    const before = account.endpoints;
    account.endpoints = byId(endpoints);
    account.seenBy = look;
    const isChanged = [...before.values()].some(
      (endpoint) => !isUnchanged(endpoint, account.endpoints.get(endpoint.endpointId)),
    );
    if (isChanged) for (const { wake } of account.waiters) wake();
  }
}

function isUnchanged(before: EventEndpoint, after: EventEndpoint | undefined): boolean {
  return after?.creationTime === before.creationTime && isSameState(before, after);
}

function byId(endpoints: readonly EventEndpoint[]): ReadonlyMap<string, EventEndpoint> {
  return new Map(endpoints.map((endpoint) => [endpoint.endpointId, endpoint]));
}
