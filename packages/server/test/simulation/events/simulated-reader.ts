import type { EventFilter } from "../../../src/domain/events/event-endpoint.ts";
import type { LoggedEvent } from "../../../src/domain/events/event.ts";
import { bookmarkOf } from "../../../src/domain/events/bookmark.ts";
import { positionText } from "../../../src/domain/events/position-text.ts";
import { RequestRefused } from "../../../src/domain/refusals.ts";
import { StoreUnavailable } from "../../../src/storage/store.ts";
import type { EventReader, Reading } from "../../history/events/told-events.ts";
import { KnownPlaces } from "../../support/listeners/known-places.ts";
import { callerOf } from "../callers/service-line.ts";
import type { SeededRandom } from "../world/seeded-random.ts";
import { ProcessDied } from "../world/simulated-node.ts";
import type { ProcessRun } from "../world/simulated-node.ts";
import type { SimulatedTime } from "../world/simulated-time.ts";

export interface SimulatedReaderOptions {
  readonly kind: "stream" | "calls";
  readonly accountId: string;
  readonly endpointId: string;
  readonly filter: EventFilter;
  readonly time: SimulatedTime;
  readonly random: SeededRandom;
  /** The nodes that run now. */
  readonly runs: () => readonly ProcessRun[];
}

interface Visit {
  readonly run: ProcessRun;
  readonly after: number;
  /** Leaves after so many events, */
  readonly most: number;
  /** or after this time. */
  readonly forMs: number;
}

const gone = "E-DI-8002";

/** Reads an endpoint by one connection after the other, to any node, and now and then from an earlier place. */
export class SimulatedReader {
  readonly #options: SimulatedReaderOptions;
  readonly #readings: Reading[] = [];
  /** Errors other than refusals, dead nodes and an unavailable store. */
  readonly bugs: string[] = [];
  readonly #places = new KnownPlaces();
  #reached = 0;

  constructor(options: SimulatedReaderOptions) {
    this.#options = options;
  }

  get filter(): EventFilter {
    return this.#options.filter;
  }

  get reached(): number {
    return this.#reached;
  }

  get seen(): EventReader {
    const { kind, accountId, endpointId, filter } = this.#options;
    const name = `the reader of ${accountId}/${endpointId} by ${kind}`;
    return { name, accountId, filter, readings: this.#readings, reached: this.#reached };
  }

  /** Goes on until it has come so far. Null: nobody has said yet. */
  async readUntil(end: () => number | null): Promise<void> {
    const { random } = this.#options;
    while (this.#reached < (end() ?? Infinity)) {
      const isEnding = end() !== null;
      const after =
        !isEnding && random.happens(0.2) ? random.between(0, this.#reached) : this.#reached;
      const forMs = random.pick([10, 1_000, 30_000]) * random.between(1, 10);
      await this.#visit(after, random.pick([1, 5, 50, 1_000]), forMs);
      await this.#pause(random.pick([1, 100, 5_000]) * random.between(1, 10));
    }
  }

  async #visit(after: number, most: number, forMs: number): Promise<void> {
    const { random, runs } = this.#options;
    const up = runs();
    if (up.length === 0) return;
    const run = random.pick(up);
    const told: LoggedEvent[] = [];
    const seen = (next: number | null, hasGap: boolean): void => {
      const got = told.map(({ position, eventId }) => ({ position, eventId }));
      this.#readings.push({ node: run.nodeId, after, told: got, next, hasGap });
      this.#reached = Math.max(this.#reached, next ?? told.at(-1)?.position ?? after);
    };
    try {
      const next = await this.#read({ run, after, most, forMs }, told);
      seen(next === "gap" ? null : next, next === "gap");
    } catch (error) {
      if (error instanceof RequestRefused && error.problems.some(({ code }) => code === gone)) {
        return seen(null, true);
      }
      seen(null, false);
      const isExpected =
        error instanceof StoreUnavailable ||
        error instanceof ProcessDied ||
        error instanceof RequestRefused;
      if (!isExpected) this.bugs.push(String((error as Error).stack ?? error));
    }
  }

  #read(visit: Visit, told: LoggedEvent[]): Promise<number | null | "gap"> {
    const { process, death } = visit.run;
    const read = () =>
      this.#options.kind === "stream" ? this.#stream(visit, told) : this.#call(visit, told);
    const working = new Promise<number | null | "gap">((resolve) =>
      process.whenAwake(() => resolve(read())),
    );
    return Promise.race([working, death]);
  }

  async #stream({ run, after, most, forMs }: Visit, told: LoggedEvent[]): Promise<null | "gap"> {
    const { accountId, endpointId, time } = this.#options;
    const until = time.monotonic() + forMs;
    const lastEventId = this.#places.textOf(after);
    const given = { lastEventId, problems: [] };
    const { operations } = run;
    const stream = await operations.streamEvents(callerOf(accountId), endpointId, given);
    try {
      while (told.length < most && time.monotonic() < until) {
        const part = await stream.next(until - time.monotonic());
        if (run.process.dead) throw new ProcessDied(run.nodeId);
        if (part.kind === "gap") return "gap";
        if (part.kind === "ended") break;
        if (part.kind === "events") {
          told.push(...part.events);
          for (const event of part.events) this.#places.learn(positionText(bookmarkOf(event)));
        }
      }
      return null;
    } finally {
      stream.leave();
    }
  }

  async #call({ run, after, most, forMs }: Visit, told: LoggedEvent[]): Promise<number> {
    const { accountId, endpointId } = this.#options;
    const read = await run.operations.readEvents(callerOf(accountId), endpointId, {
      after: this.#places.textOf(after),
      limit: most,
      waitMs: Math.min(forMs, 30_000),
      problems: [],
      callerGone: new AbortController().signal,
      onWait() {},
    });
    if (run.process.dead) throw new ProcessDied(run.nodeId);
    told.push(...read.events);
    this.#places.learn(positionText(read.nextPlace));
    return read.nextPlace.position;
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#options.time.after(ms, resolve));
  }
}
