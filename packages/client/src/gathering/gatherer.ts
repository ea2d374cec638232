import type { CallOptions } from "../call-options.ts";
import { notPostdate } from "../transport/answer.ts";
import type { Call, Transport } from "../transport/transport.ts";
import { newTrace } from "../transport/transport.ts";
import type { BatchResult, Message } from "../types/messages.ts";
import {
  abortWhenAllLeft,
  batchRequest,
  concernsTheBatch,
  itemError,
  longestTimeout,
  ownError,
  singleRequest,
} from "./batch-request.ts";

/** A message that waits for its request, or for the answer to it. */
export interface Gathered {
  /** The message as it travels alone, in JSON. */
  readonly body: string;
  readonly idempotencyKey: string;
  /** The call of the one who waits, if it has a deadline of its own. */
  readonly call?: Call;
}

interface Entry extends Gathered {
  readonly resolve: (message: Message) => void;
  readonly reject: (error: unknown) => void;
}

const mostItems = 1_000;
/** A character of JSON has at most three bytes, and a batch may have 16 MiB. */
const mostCharacters = 4 * 1_048_576;
/** What is longer goes alone: single requests have a limit of their own, 1 MiB. */
const mostCharactersOfOne = 340_000;
/** For `,"idempotencyKey":""` and the comma between items. */
const charactersAround = 32;
/** The second lets calls pass a slow batch. More would make smaller batches. */
const places = 2;
/** A request that takes longer gives its place up, so that a hanging one holds nobody up. */
const placeMs = 250;

/**
 * Sends calls that come together as one batch. A call goes at once while there is a place; the others
 * gather until a place is free. Each caller gets what it would have got alone.
 */
export class Gatherer {
  readonly #transport: Transport;
  readonly #options: CallOptions;
  #waiting: Entry[] = [];
  #underWay = 0;
  #messagesUnderWay = 0;

  /** The options are for the requests of callers that have no deadline of their own. */
  constructor(transport: Transport, options: CallOptions = {}) {
    this.#transport = transport;
    this.#options = options;
  }

  add(gathered: Gathered): Promise<Message> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...gathered, resolve, reject });
      this.#fillPlaces();
    });
  }

  /** Forgets what was not sent yet. */
  drop(): void {
    this.#waiting = [];
  }

  #fillPlaces(): void {
    while (this.#underWay < places) {
      const entries = this.#take();
      if (entries.length === 0) return;
      void this.#occupyPlace(entries);
    }
  }

  /** The next request: one message that travels alone, or a batch. */
  #take(): Entry[] {
    const taken: Entry[] = [];
    // Half of all, so that one half is read and answered while the other travels.
    const half = Math.ceil((this.#waiting.length + this.#messagesUnderWay) / places);
    const most = Math.min(half, mostItems);
    let characters = 0;
    let seen = 0;
    for (const entry of this.#waiting) {
      if (hasLeft(entry)) {
        seen++;
        continue;
      }
      const isLong = entry.body.length > mostCharactersOfOne;
      characters += entry.body.length + entry.idempotencyKey.length + charactersAround;
      const isFull = taken.length === most || characters > mostCharacters;
      if (taken.length > 0 && (isLong || isFull)) break;
      seen++;
      taken.push(entry);
      if (isLong) break;
    }
    this.#waiting.splice(0, seen);
    return taken;
  }

  async #occupyPlace(entries: readonly Entry[]): Promise<void> {
    let hasPlace = true;
    const leave = (): void => {
      if (!hasPlace) return;
      hasPlace = false;
      this.#underWay--;
      this.#messagesUnderWay -= entries.length;
      this.#fillPlaces();
    };
    this.#underWay++;
    this.#messagesUnderWay += entries.length;
    const timer = setTimeout(leave, placeMs);
    await this.#deliver(entries);
    clearTimeout(timer);
    leave();
  }

  /** Settles every entry, and does not fail itself. */
  async #deliver(entries: readonly Entry[]): Promise<void> {
    if (entries.length === 1) return this.#sendAlone(entries[0]!);
    try {
      await this.#sendTogether(entries);
    } catch (error) {
      if (concernsTheBatch(error)) {
        const middle = Math.ceil(entries.length / 2);
        await this.#deliver(entries.slice(0, middle));
        await this.#deliver(entries.slice(middle));
      } else {
        for (const entry of entries) entry.reject(ownError(error));
      }
    }
  }

  async #sendAlone(entry: Entry): Promise<void> {
    const request = singleRequest(entry);
    const sent = entry.call
      ? this.#transport.send<Message>(request, entry.call)
      : this.#transport.request<Message>(request, this.#options);
    await sent.then(entry.resolve, entry.reject);
  }

  async #sendTogether(entries: readonly Entry[]): Promise<void> {
    const trace = newTrace();
    const calls = entries.flatMap(({ call }) => call ?? []);
    const allHaveDeadlines = calls.length === entries.length;
    const options = allHaveDeadlines
      ? { ...this.#options, timeoutMs: longestTimeout(calls) }
      : this.#options;
    const results = await this.#transport.call(options, async (call) => {
      const stopWatching = allHaveDeadlines ? abortWhenAllLeft(calls, call) : undefined;
      try {
        const request = batchRequest(entries);
        const answer: { results?: BatchResult[] } = await this.#transport.send(
          request,
          call,
          trace,
        );
        if (answer.results?.length !== entries.length) throw notPostdate(this.#transport.url, 200);
        return answer.results;
      } finally {
        stopWatching?.();
      }
    });
    for (const [index, { message, errors = [] }] of results.entries()) {
      const { resolve, reject } = entries[index]!;
      if (message !== undefined) resolve(message);
      else reject(itemError(errors, trace.requestId));
    }
  }
}

/** Whether the caller has gone before its message was sent. */
function hasLeft({ call }: Entry): boolean {
  return call?.deadline.signal.aborted === true;
}
