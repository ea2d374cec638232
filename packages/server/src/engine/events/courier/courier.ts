import type { EventEndpoint } from "../../../domain/events/event-endpoint.ts";
import { PlacesInTurn } from "../../../platform/places-in-turn.ts";
import type { RunningPart } from "../../../platform/running-parts.ts";
import type { Timer } from "../../../platform/timers.ts";
import type { EventStore, Holder } from "../../../storage/store.ts";
import { UnderWay } from "../../delivery/under-way.ts";
import { pauseAfterFailures } from "../../../platform/pause-after-failures.ts";
import type { LogWatch, SeenSpan } from "../reading/log-watch.ts";
import { CourierLane } from "./courier-lane.ts";
import { standingOf } from "./courier-standing.ts";
import type { CourierStanding } from "./courier-standing.ts";
import { FairPlaces } from "./fair-places.ts";
import { serveLane } from "./serve-lane.ts";
import type { ServeLaneOptions, ServeSignals } from "./serve-lane.ts";

export interface CourierOptions extends Omit<
  ServeLaneOptions,
  "store" | "logs" | "readEvents" | "mayStillSend"
> {
  readonly store: ServeLaneOptions["store"] & Pick<EventStore, "takeWebhooks" | "readEvents">;
  readonly logs: Pick<LogWatch, "ask" | "watch">;
  /** How long a stopping server waits for requests that are under way. */
  readonly drainTimeoutMs: number;
  readonly places?: CourierPlaces;
  readonly observer: ServeLaneOptions["observer"] & {
    /** Told after each look. */
    webhooksStand?(standing: CourierStanding): void;
  };
}

/** How many requests may be under way at once in this process. */
export interface CourierPlaces {
  readonly steady: number;
  /** Of endpoints whose last request failed: receivers that hang take no place of those that answer. */
  readonly failing: number;
}

const defaultPlaces: CourierPlaces = { steady: 256, failing: 64 };

/** Reads take turns, because a log may have much to skip. */
const readPlaces = { places: 8, placesOfOne: 2 };

/**
 * How late this node learns of an endpoint that another node created or held when it died. Of a change it learns
 * when it reads what to send.
 */
const lookEveryMs = 2_000;
/** A look is at the webhooks of all accounts. Callers who change theirs without end do not make more of them. */
const betweenNotedMs = 50;
/** Looks take a tenth of the time at most, unless that would make them too rare, however many webhooks there are. */
const restsForLook = 9;
const longestRestMs = 10_000;
/** Another node may take some of the endpoints that one look has left. */
const lookForMoreMs = 100;
const mostTaken = 100;

const doing = "sending events to a webhook";

interface Account {
  readonly lanes: Set<CourierLane>;
  readonly watch: { close(): void };
  span: SeenSpan | undefined;
}

/**
 * Sends events to webhooks. This node takes every webhook that no living node has. Each has a lane of its own,
 * and none takes a slot of a target. A lane works when its log has grown, or when its retry is due.
 */
export class Courier implements RunningPart {
  readonly #options: CourierOptions;
  readonly #lanes = new Map<string, CourierLane>();
  /** Endpoints whose lane was dropped while its request was under way: they wait for its end. */
  readonly #leaving = new Set<string>();
  readonly #accounts = new Map<string, Account>();
  readonly #places: { readonly steady: FairPlaces; readonly failing: FairPlaces };
  readonly #reads = new PlacesInTurn(readPlaces);
  readonly #underWay: UnderWay;
  readonly #stopping = new AbortController();
  #lost = new AbortController();
  #signals: ServeSignals;
  #timer: Timer | undefined;
  #looking: Promise<void> | undefined;
  #isNoted = false;
  /** By the monotonic clock. */
  #lookedAt = -Infinity;
  /** What the last look has earned. */
  #restMs = 0;
  /** Callers have changed endpoints of these accounts. Nothing more is sent to them until a look has seen it. */
  #changed = new Set<string>();
  #beingSeen: ReadonlySet<string> = new Set();
  #failures = 0;
  /** A node that does not deliver never starts this, and is told of endpoints all the same. */
  #isRunning = false;

  constructor(options: CourierOptions) {
    this.#options = options;
    const { steady, failing } = options.places ?? defaultPlaces;
    this.#places = { steady: new FairPlaces(steady), failing: new FairPlaces(failing) };
    this.#signals = this.#freshSignals();
    this.#underWay = new UnderWay((error) => options.observer.trouble(error, doing));
  }

  async start(): Promise<void> {
    this.#isRunning = true;
    this.noteEndpoint();
  }

  /** Requests that are under way may end, for a while. No further one begins. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    this.#timer?.cancel();
    await this.#looking;
    for (const lane of this.#lanes.values()) this.#drop(lane);
    const impatience = this.#options.timers.after(this.#options.drainTimeoutMs, () =>
      this.#stopping.abort(),
    );
    await this.#underWay.allEnded();
    impatience.cancel();
  }

  /** There may be an endpoint to take, or a caller has changed one of this account. */
  noteEndpoint(changed?: Pick<EventEndpoint, "accountId">): void {
    if (changed !== undefined && this.#accounts.has(changed.accountId)) {
      this.#changed.add(changed.accountId);
    }
    this.#isNoted = true;
    if (this.#looking === undefined) this.#sleepUntilNoted();
  }

  /** The membership is over: nothing more is sent for it, not even what is under way. */
  interrupt(): void {
    this.#lost.abort();
    for (const lane of this.#lanes.values()) this.#drop(lane);
    this.#lost = new AbortController();
    this.#signals = this.#freshSignals();
  }

  #freshSignals(): ServeSignals {
    const [stopping, lost] = [this.#stopping.signal, this.#lost.signal];
    return { stopping, lost, ending: AbortSignal.any([stopping, lost]) };
  }

  #sleep(sleepMs: number): void {
    if (!this.#isRunning) return;
    this.#timer?.cancel();
    this.#timer = this.#options.timers.after(sleepMs, () => {
      const { clock } = this.#options;
      const began = clock.monotonic();
      this.#isNoted = false;
      this.#looking = this.#look().then((nextMs) => {
        this.#looking = undefined;
        this.#lookedAt = clock.monotonic();
        this.#restMs = Math.min((this.#lookedAt - began) * restsForLook, longestRestMs);
        if (this.#isNoted) this.#sleepUntilNoted();
        else this.#sleep(Math.max(nextMs, this.#restMs));
      });
    });
  }

  /** The first note after a while is looked at once. */
  #sleepUntilNoted(): void {
    const sinceMs = this.#options.clock.monotonic() - this.#lookedAt;
    this.#sleep(Math.max(0, Math.max(betweenNotedMs, this.#restMs) - sinceMs));
  }

  /** Answers with how long to sleep. */
  async #look(): Promise<number> {
    const { store, membership, clock, observer } = this.#options;
    const { holder } = membership;
    if (holder === undefined) return lookEveryMs;
    try {
      const asked = clock.monotonic();
      this.#beingSeen = this.#changed;
      this.#changed = new Set();
      const held = await store.takeWebhooks(holder, mostTaken);
      this.#failures = 0;
      if (membership.holder !== holder || !this.#isRunning) return lookForMoreMs;
      this.#beingSeen = new Set();
      const found = this.#learnAll(held, holder, asked);
      observer.webhooksStand?.(standingOf(this.#accounts.values()));
      return found < mostTaken ? lookEveryMs : lookForMoreMs;
    } catch (error) {
      for (const accountId of this.#beingSeen) this.#changed.add(accountId);
      if (this.#failures === 0) observer.trouble(error, "looking for webhooks of events");
      return pauseAfterFailures(++this.#failures);
    }
  }

  /** Answers with how many endpoints are new here. */
  #learnAll(held: readonly EventEndpoint[], holder: Holder, asked: number): number {
    const left = new Set(this.#lanes.values());
    const found: EventEndpoint[] = [];
    for (const endpoint of held) {
      const lane = this.#lanes.get(keyOf(endpoint));
      // Another one of the same id may have come in the place of one that was removed.
      if (lane?.holder !== holder || lane.endpoint.creationTime !== endpoint.creationTime) {
        found.push(endpoint);
        continue;
      }
      left.delete(lane);
      lane.learnAsked(endpoint, asked);
      this.#wake(lane);
    }
    // Paused, disabled, removed, of a suspended account, or held by another node or membership.
    for (const lane of left) this.#drop(lane);
    for (const endpoint of found) this.#add(endpoint, holder);
    return found.length;
  }

  #add(endpoint: EventEndpoint, holder: Holder): void {
    const { logs, clock } = this.#options;
    if (this.#leaving.has(keyOf(endpoint))) return;
    const lane = new CourierLane(endpoint, holder, clock.monotonic());
    const { accountId } = endpoint;
    this.#lanes.set(keyOf(endpoint), lane);
    const account = this.#accounts.get(accountId);
    if (account !== undefined) {
      account.lanes.add(lane);
      return this.#wake(lane);
    }
    const watch = logs.watch(accountId, (span) => this.#grown(accountId, span));
    this.#accounts.set(accountId, { lanes: new Set([lane]), watch, span: undefined });
  }

  /** What the lane has under way goes on, and is recorded if the store allows it. */
  #drop(lane: CourierLane): void {
    const { endpoint } = lane;
    if (!this.#isCurrent(lane)) return;
    lane.timer?.cancel();
    lane.leaveLine();
    this.#lanes.delete(keyOf(endpoint));
    if (lane.state === "at work") this.#leaving.add(keyOf(endpoint));
    const account = this.#accounts.get(endpoint.accountId);
    if (account === undefined || !account.lanes.delete(lane) || account.lanes.size > 0) return;
    account.watch.close();
    this.#accounts.delete(endpoint.accountId);
  }

  #grown(accountId: string, span: SeenSpan): void {
    const account = this.#accounts.get(accountId);
    if (account === undefined) return;
    account.span = span;
    for (const lane of account.lanes) this.#wake(lane);
  }

  /** Begins the lane's next turn if it has something to do, or sets a timer for its retry. */
  #wake(lane: CourierLane): void {
    const { store, timers, clock } = this.#options;
    if (lane.state !== "resting" || !this.#maySend(lane)) return;
    lane.timer?.cancel();
    const waitMs = lane.waitMs(store.clock.now(), clock.monotonic());
    if (waitMs > 0) {
      if (waitMs < Infinity) lane.timer = timers.after(waitMs, () => this.#wake(lane));
      return;
    }
    const { accountId } = lane.endpoint;
    const hasMore = lane.hasMore(this.#accounts.get(accountId)?.span);
    if (!hasMore && !lane.isRecordDue(clock.monotonic())) return;
    lane.state = "waiting";
    const places = lane.isFailing ? this.#places.failing : this.#places.steady;
    lane.leaveLine = places.enter(accountId, (giveBack) => {
      lane.state = "at work";
      this.#underWay.track(this.#turn(lane).finally(giveBack));
    });
  }

  async #turn(lane: CourierLane): Promise<void> {
    const { store, clock, observer } = this.#options;
    let end: "dropped" | "set back" | undefined;
    try {
      // A caller may have paused the endpoint while it waited for its place.
      if (lane.waitMs(store.clock.now(), clock.monotonic()) > 0) return;
      const options: ServeLaneOptions = {
        ...this.#options,
        readEvents: (accountId, page) =>
          this.#reads.run(accountId, () =>
            store.readEvents(accountId, { ...page, webhook: lane.copy }),
          ),
        mayStillSend: () => this.#maySend(lane),
      };
      end = await serveLane(options, lane, this.#signals);
      lane.worked();
    } catch (error) {
      if (lane.failed(clock.monotonic()) === 1) observer.trouble(error, doing);
    } finally {
      lane.state = "resting";
      // The next look finds it again. It comes soon enough for what happens once in years.
      if (end !== undefined) this.#drop(lane);
      if (this.#leaving.delete(keyOf(lane.endpoint)) || end === "dropped") this.noteEndpoint();
      this.#wake(lane);
    }
  }

  #maySend(lane: CourierLane): boolean {
    const { accountId } = lane.endpoint;
    const isChanged = this.#changed.has(accountId) || this.#beingSeen.has(accountId);
    return this.#isRunning && this.#isCurrent(lane) && !isChanged;
  }

  #isCurrent(lane: CourierLane): boolean {
    return this.#lanes.get(keyOf(lane.endpoint)) === lane;
  }
}

function keyOf({ accountId, endpointId }: EventEndpoint): string {
  return `${accountId} ${endpointId}`;
}
