import { InputError } from "../input-error.ts";
import type { PostdateError } from "../errors.ts";
import type { Message } from "../types/messages.ts";
import { isObject } from "./read-input.ts";

/** What became of one of many messages: it was scheduled, or refused. */
export type ManyResult =
  | { readonly message: Message; readonly error?: undefined }
  | { readonly message?: undefined; readonly error: PostdateError };

export type ManySource<Item> = Iterable<Item> | AsyncIterable<Item>;

/** A message on its way. */
export interface Begun {
  readonly size: number;
  /** Never rejects. `failure` is a reason why the others would fail too. */
  readonly settled: Promise<ManyResult | { readonly failure: unknown }>;
}

interface Work<Item> {
  readonly source: ManySource<Item>;
  readonly begin: (item: Item) => Begun;
  /** Ends what was not sent yet. */
  readonly stop: () => void;
}

/** How much is read from the source ahead of the results: two batches under way, and two that gather. */
const mostAhead = 4_000;
const mostCharactersAhead = 8 * 1_048_576;

/**
 * Many messages, scheduled as the results are read. Await it for an array, or walk it with `for await` so
 * that neither the messages nor the results need to be in memory at once. It can be read once.
 */
export class ScheduledMany<Item> implements AsyncIterable<ManyResult>, PromiseLike<ManyResult[]> {
  readonly #results: AsyncGenerator<ManyResult, void, undefined>;
  #all: Promise<ManyResult[]> | undefined;

  constructor(work: Work<Item>) {
    this.#results = results(work);
  }

  [Symbol.asyncIterator](): AsyncGenerator<ManyResult, void, undefined> {
    return this.#results;
  }

  // Awaiting is the shorter of the two ways to read it.
  // oxlint-disable-next-line unicorn/no-thenable
  then<Fulfilled = ManyResult[], Rejected = never>(
    onFulfilled?: ((results: ManyResult[]) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    this.#all ??= arrayOf(this.#results);
    return this.#all.then(onFulfilled, onRejected);
  }
}

async function* results<Item>({ source, begin, stop }: Work<Item>) {
  const items = iteratorOf(source);
  const underWay: Begun[] = [];
  let characters = 0;
  let next: ReturnType<typeof items.next> | undefined;
  let hasEnded = false;
  try {
    for (;;) {
      const oldest = underWay[0];
      if (!hasEnded && underWay.length < mostAhead && characters < mostCharactersAhead) {
        next ??= items.next();
        // A source that makes us wait does not hold up a result that is there.
        const item =
          oldest !== undefined && next instanceof Promise
            ? await Promise.race([next, oldest.settled.then(() => undefined)])
            : await next;
        if (item !== undefined) {
          next = undefined;
          hasEnded = item.done === true;
          if (item.done === true) continue;
          const begun = begin(item.value);
          underWay.push(begun);
          characters += begun.size;
          continue;
        }
      }
      if (oldest === undefined) return;
      const result = await oldest.settled;
      if ("failure" in result) throw result.failure;
      underWay.shift();
      characters -= oldest.size;
      yield result;
    }
  } finally {
    stop();
    // A source that waits for something may never come to its end, so nobody waits for it.
    if (!hasEnded) void Promise.resolve(items.return?.()).catch(() => {});
  }
}

function iteratorOf<Item>(source: ManySource<Item>): Iterator<Item> | AsyncIterator<Item> {
  if (isObject(source)) {
    if (Symbol.asyncIterator in source) return source[Symbol.asyncIterator]();
    if (Symbol.iterator in source) return source[Symbol.iterator]();
  }
  throw new InputError("scheduleMany needs an iterable of messages.");
}

async function arrayOf(results: AsyncIterable<ManyResult>): Promise<ManyResult[]> {
  const all: ManyResult[] = [];
  for await (const result of results) all.push(result);
  return all;
}
