import type { ApiError } from "../api-error.ts";
import type { Gatherer } from "../gathering/gatherer.ts";
import type { InputError } from "../input-error.ts";
import { check } from "../input-error.ts";
import { Deadline } from "../transport/deadline.ts";
import type { Message } from "../types/messages.ts";

/**
 * What became of one of many messages: it was scheduled, or refused. An `error` without a `code` is an
 * `InputError`: the message was not sent.
 */
export type ManyResult =
  | { readonly message: Message; readonly error?: undefined }
  | {
      readonly message?: undefined;
      readonly error: ApiError | (InputError & { readonly code?: undefined });
    };

export type ManySource<Item> = Iterable<Item> | AsyncIterable<Item>;

/** A message on its way. */
export interface Begun {
  readonly size: number;
  /** Never rejects. `failure` is a reason why the others would fail too. */
  readonly result: Promise<ManyResult | { readonly failure: unknown }>;
}

interface Work<Item> {
  readonly source: ManySource<Item>;
  readonly begin: (item: Item) => Begun;
  readonly gatherer: Gatherer;
  readonly signal: AbortSignal | undefined;
}

/** How much is taken from the source ahead of the results: two batches under way, and two that gather. */
const mostAhead = 4_000;
const mostCharactersAhead = 8 * 1_048_576;

/**
 * Many messages, scheduled as the results are read. Await it for an array, or walk it once with `for await`
 * so that neither the messages nor the results need to be in memory at once.
 */
export class ScheduledMany<Item> implements AsyncIterable<ManyResult>, PromiseLike<ManyResult[]> {
  #results: AsyncGenerator<ManyResult, void, undefined> | undefined;
  #all: Promise<ManyResult[]> | undefined;

  constructor(work: Work<Item>) {
    this.#results = results(work);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ManyResult, void, undefined> {
    yield* this.#all ? await this.#all : this.#take();
  }

  // Awaiting is the shorter of the two ways to read it.
  // oxlint-disable-next-line unicorn/no-thenable
  then<Fulfilled = ManyResult[], Rejected = never>(
    onFulfilled?: ((results: ManyResult[]) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    this.#all ??= this.#collect();
    return this.#all.then(onFulfilled, onRejected);
  }

  async #collect(): Promise<ManyResult[]> {
    const all: ManyResult[] = [];
    for await (const result of this.#take()) all.push(result);
    return all;
  }

  /** Hands the results out once, because nobody keeps them. */
  #take(): AsyncGenerator<ManyResult, void, undefined> {
    const results = this.#results;
    this.#results = undefined;
    check(results, "Walked before. Await it to read it twice.");
    return results;
  }
}

async function* results<Item>({ source, begin, gatherer, signal }: Work<Item>) {
  const items = iteratorOf(source);
  const deadline = new Deadline(Infinity, signal);
  const underWay: Begun[] = [];
  let characters = 0;
  let next: ReturnType<typeof items.next> | undefined;
  let hasEnded = false;
  try {
    for (;;) {
      deadline.check();
      const oldest = underWay[0];
      if (!hasEnded && underWay.length < mostAhead && characters < mostCharactersAhead) {
        try {
          next ??= items.next();
          // A source that makes us wait holds up neither a result that is there nor the caller's signal.
          const item = await (next instanceof Promise
            ? deadline.race(firstOf(next, oldest))
            : next);
          if (item) {
            next = undefined;
            if (item.done) {
              hasEnded = true;
            } else {
              const begun = begin(item.value);
              underWay.push(begun);
              characters += begun.size;
            }
            continue;
          }
        } catch (failure) {
          deadline.check();
          // What the source gave before is scheduled, and told first.
          underWay.push({ size: 0, result: Promise.resolve({ failure }) });
          hasEnded = true;
          continue;
        }
      }
      if (!oldest) return;
      const result = await oldest.result;
      if ("failure" in result) throw result.failure;
      underWay.shift();
      characters -= oldest.size;
      yield result;
    }
  } finally {
    deadline.release();
    gatherer.drop();
    // A source that waits for something may never come to its end, so nobody waits for it.
    if (!hasEnded) void Promise.resolve(items.return?.()).catch(() => {});
  }
}

/** The next item, or undefined if the oldest result is there first. */
function firstOf<Item>(next: Promise<Item>, oldest: Begun | undefined): Promise<Item | undefined> {
  return oldest ? Promise.race([next, oldest.result.then(() => undefined)]) : next;
}

function iteratorOf<Item>(source: ManySource<Item>): Iterator<Item> | AsyncIterator<Item> {
  const walks = Object(source) as Partial<AsyncIterable<Item> & Iterable<Item>>;
  const items = walks[Symbol.asyncIterator]?.() ?? walks[Symbol.iterator]?.();
  check(items, "scheduleMany needs an iterable.");
  return items;
}
