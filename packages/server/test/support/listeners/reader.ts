import { setTimeout as sleep } from "node:timers/promises";
import type { EventFilter } from "../../../src/domain/events/event-endpoint.ts";
import type { EventReader, Reading } from "../../history/events/told-events.ts";
import type { Chance } from "../../history/support/chance.ts";
import { apiOf } from "../api.ts";
import { openStream } from "../event-stream.ts";
import { KnownPlaces } from "./known-places.ts";
import { readPosition } from "./read-event.ts";

export interface ReaderOptions {
  readonly name: string;
  readonly accountId: string;
  readonly endpointId: string;
  readonly filter: EventFilter;
  readonly chance: Chance;
  /** The address of a node that runs. */
  readonly pick: () => string;
}

/** What one connection, or one call, is for. */
interface Visit {
  readonly url: string;
  readonly after: number;
  readonly places: KnownPlaces;
  /** Leaves after so many events, or when the signal aborts. */
  readonly most: number;
  readonly signal: AbortSignal;
}

type Read = (options: ReaderOptions, visit: Visit) => Promise<Reading | undefined>;

const patienceMs = 30_000;

/**
 * Reads an endpoint by many short connections to any node. Most go on where the one before it ended; some begin
 * again at a place that was read before.
 */
export class Reader {
  readonly #options: ReaderOptions;
  readonly #read: Read;
  readonly #readings: Reading[] = [];
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  readonly #places = new KnownPlaces();
  #pausing = new AbortController();
  #resumed = Promise.resolve();
  #resume = (): void => {};
  #visiting = Promise.resolve();
  #reached = 0;

  constructor(kind: keyof typeof reads, options: ReaderOptions) {
    this.#options = options;
    this.#read = reads[kind];
    this.#running = this.#readAgainAndAgain();
  }

  get filter(): EventFilter {
    return this.#options.filter;
  }

  /** Resolves when it has left. It makes no other connection before the resume. */
  async pause(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    [this.#resumed, this.#resume] = [promise, resolve];
    this.#pausing.abort();
    await this.#visiting;
  }

  resume(): void {
    this.#pausing = new AbortController();
    this.#resume();
  }

  /** Reads everything up to this position, and then ends. */
  async end(last: number): Promise<EventReader> {
    this.#stopping.abort();
    await this.#running;
    const deadline = Date.now() + patienceMs;
    while (this.#reached < last && Date.now() < deadline) {
      await this.#visit(this.#reached, 1_000, AbortSignal.timeout(2_000));
    }
    const { name, accountId, filter } = this.#options;
    return { name, accountId, filter, readings: this.#readings, reached: this.#reached };
  }

  async #readAgainAndAgain(): Promise<void> {
    const { chance } = this.#options;
    for (;;) {
      await this.#resumed;
      if (this.#stopping.signal.aborted) return;
      const isAgain = chance.happens(0.2);
      const after = isAgain ? chance.between(0, this.#reached) : this.#reached;
      const patience = AbortSignal.timeout(chance.between(20, 1_500));
      const signal = AbortSignal.any([patience, this.#stopping.signal, this.#pausing.signal]);
      this.#visiting = this.#visit(after, chance.between(1, 200), signal);
      await this.#visiting;
      await sleep(chance.between(0, 60));
    }
  }

  async #visit(after: number, most: number, signal: AbortSignal): Promise<void> {
    const visit = { url: this.#options.pick(), after, places: this.#places, most, signal };
    // A node that is down or does not answer in time tells nothing.
    const reading = await this.#read(this.#options, visit).catch(() => undefined);
    if (reading === undefined) return;
    this.#readings.push(reading);
    const last = reading.next ?? reading.told.at(-1)?.position ?? after;
    this.#reached = Math.max(this.#reached, last);
  }
}

const gone = 410;

const reads = {
  async stream({ endpointId }, { url, after, places, most, signal }) {
    const lastEventId = places.textOf(after);
    await using stream = await openStream(url, endpointId, { lastEventId, signal });
    const told: { position: number; eventId: string }[] = [];
    let hasGap = false;
    while (stream.status === 200 && told.length < most && !hasGap) {
      const frame = await stream.next();
      if (frame === undefined) break;
      if (frame.id !== undefined) {
        places.learn(frame.id);
        told.push({ position: readPosition(frame.id), eventId: JSON.parse(frame.data!).id });
      }
      hasGap = frame.event === "postdate.gap";
    }
    return { node: url, after, told, next: null, hasGap };
  },

  async calls({ endpointId, chance }, { url, after, places, most, signal }) {
    const query = new URLSearchParams({
      after: places.textOf(after),
      limit: String(most),
      waitMs: String(chance.between(0, 1_000)),
    });
    const call = apiOf(url)("GET", `/v1/event-endpoints/${endpointId}/events?${query.toString()}`);
    const given = new Promise<undefined>((resolve) => {
      signal.addEventListener("abort", () => resolve(undefined), { once: true });
    });
    const answer = await Promise.race([call, given]);
    const reading = { node: url, after, told: [], next: null, hasGap: answer?.status === gone };
    if (answer?.status !== 200) return reading.hasGap ? reading : undefined;
    const { events, nextPosition } = answer.body;
    const told = events.map(({ position, id }: { position: string; id: string }) => {
      places.learn(position);
      return { position: readPosition(position), eventId: id };
    });
    places.learn(nextPosition);
    return { ...reading, told, next: readPosition(nextPosition) };
  },
} satisfies Record<string, Read>;
