import type { CallOptions } from "../call-options.ts";
import { ownError } from "../own-error.ts";
import { notPostdate } from "../transport/answer.ts";
import { within } from "../transport/deadline.ts";
import type { Call, Transport } from "../transport/transport.ts";
import type { BatchResult, KeyOutcome, Message, ScheduledMessage } from "../types/messages.ts";
import { batchRequest, concernsMessages, itemError, singleRequest } from "./batch-request.ts";

/** A message that waits for its request, or for the answer to it. */
export interface Gathered {
  /** The message as it travels alone, in JSON. */
  readonly body: string;
  readonly idempotencyKey: string;
  /** The call of the one who waits, if it has a deadline of its own. */
  readonly call?: Call | undefined;
}

interface Entry extends Gathered, PromiseWithResolvers<ScheduledMessage> {
  /** Nobody waits for it any more. */
  hasLeft?: boolean;
  /** Tells the batch that it is under way with. */
  onLeave?: () => void;
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
/** So many microtasks may be between an answer and the same caller's next call. They take no time. */
const roundsToReturn = 24;

/**
 * Sends calls that come together as one batch. A call goes at once while there is a place; the others
 * gather until a place is free. Each caller gets what it would have got alone.
 */
export class Gatherer {
  readonly #transport: Transport;
  readonly #options: CallOptions | undefined;
  #waiting: Entry[] = [];
  #underWay = 0;
  #messagesUnderWay = 0;

  /** The options are for the requests of callers that have no deadline of their own. */
  constructor(transport: Transport, options?: CallOptions) {
    this.#transport = transport;
    this.#options = options;
  }

  async add(item: Gathered): Promise<ScheduledMessage> {
    const entry: Entry = { ...item, ...Promise.withResolvers<ScheduledMessage>() };
    const { call, promise } = entry;
    this.#waiting.push(entry);
    this.#fillPlaces();
    try {
      return await (call ? call.deadline.race(promise) : promise);
    } catch (failure) {
      // Made here, so that the stack leads to the caller.
      throw ownError(failure);
    } finally {
      entry.hasLeft = true;
      entry.onLeave?.();
    }
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
    this.#waiting = this.#waiting.filter(isAwaited);
    // Half of all, so that one half is read and answered while the other travels.
    const half = Math.ceil((this.#waiting.length + this.#messagesUnderWay) / places);
    const most = Math.min(half, mostItems);
    let characters = 0;
    let count = 0;
    for (const { body, idempotencyKey } of this.#waiting) {
      const isLong = body.length > mostCharactersOfOne;
      characters += isLong ? Infinity : body.length + idempotencyKey.length + charactersAround;
      if (count > 0 && (count === most || characters > mostCharacters)) break;
      count++;
    }
    return this.#waiting.splice(0, count);
  }

  async #occupyPlace(entries: readonly Entry[]): Promise<void> {
    this.#underWay++;
    this.#messagesUnderWay += entries.length;
    await within(placeMs, this.#deliver(entries));
    // Callers that were just answered may call again at once. Their next calls go with this request.
    for (let round = 0; round < roundsToReturn; round++) await Promise.resolve();
    this.#underWay--;
    this.#messagesUnderWay -= entries.length;
    this.#fillPlaces();
  }

  /** Settles every entry, and does not fail itself. */
  async #deliver(given: readonly Entry[]): Promise<void> {
    const entries = given.filter(isAwaited);
    if (entries.length === 0) return;
    try {
      await (entries.length === 1 ? this.#sendAlone(entries[0]!) : this.#sendTogether(entries));
    } catch (error) {
      if (entries.length > 1 && concernsMessages(error)) {
        const middle = Math.ceil(entries.length / 2);
        await this.#deliver(entries.slice(0, middle));
        await this.#deliver(entries.slice(middle));
      } else {
        for (const { reject } of entries) reject(error);
      }
    }
  }

  async #sendAlone(entry: Entry): Promise<void> {
    const send = (call: Call) => sendAlone(this.#transport, entry, call);
    entry.resolve(
      await (entry.call ? send(entry.call) : this.#transport.call(this.#options, send)),
    );
  }

  async #sendTogether(entries: readonly Entry[]): Promise<void> {
    // Callers with deadlines of their own leave one by one, and the batch ends with the last.
    const options = this.#options ?? { timeoutMs: Infinity };
    await this.#transport.call(options, async (call) => {
      let awaited = entries.length;
      const onLeave = (): void => {
        if (--awaited === 0) call.deadline.abort();
      };
      for (const entry of entries) entry.onLeave = onLeave;
      call.onWait = (...wait) => tellOfWait(entries, ...wait);
      const { results } = await this.#transport.send<{ results: BatchResult[] }>(
        batchRequest(entries),
        call,
      );
      if (results.length !== entries.length) throw notPostdate(call.answer!, this.#transport.url);
      for (const [index, { message, errors = [], keyOutcome }] of results.entries()) {
        const { resolve, reject } = entries[index]!;
        if (message) resolve(Object.assign(message, keyOutcome && { keyOutcome }));
        else reject(itemError(call.answer!, errors));
      }
    });
  }
}

/** A message that travels alone has what became of its key in a header. */
export async function sendAlone(
  transport: Transport,
  item: Gathered,
  call: Call,
): Promise<ScheduledMessage> {
  const message = await transport.send<Message>(singleRequest(item), call);
  const keyOutcome = call.answer!.headers.get("postdate-key-outcome") as KeyOutcome | null;
  return Object.assign(message, keyOutcome && { keyOutcome });
}

function isAwaited({ hasLeft }: Entry): boolean {
  return !hasLeft;
}

/** A caller whose deadline comes before the next try learns at once what it would have learnt alone. */
function tellOfWait(entries: readonly Entry[], failure: unknown, waitMs: number): void {
  for (const { call, reject } of entries) {
    if (!call) continue;
    call.deadline.failure = failure;
    if (waitMs >= call.deadline.remainingMs) reject(failure);
  }
}
