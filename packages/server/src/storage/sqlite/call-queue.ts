import { StoreUnavailable } from "../store.ts";
import { unpackValue } from "./crossing.ts";
import type { Failure, Replies } from "./crossing.ts";
import type { Call } from "./executor.ts";
import { writes } from "./verbs.ts";
import type { VerbName } from "./verbs.ts";

interface Pending extends Pick<Call, "verb" | "args"> {
  resolve(value: never): void;
  reject(error: Error): void;
}

export interface CallQueueOptions {
  /** Hands a batch over; the answer comes back through `settle`. */
  readonly send: (calls: readonly Call[]) => void;
  /** Told how many calls shared a commit; reading alone needs none. */
  readonly onBatch: (size: number) => void;
}

/** Messages, or calls about something else, that share a commit at most; a call is not divided. */
const largestBatch = 2_000;
/** So much may be handed over while a batch is under way: the store is not to wait for us to notice its end. */
const worthHandingOver = 500;
/** Beyond this the store is so far behind that a caller is better served by hearing it at once. */
const mostWaiting = 20_000;

/**
 * Gathers calls while a batch is under way, so that they share the next commit; the first call after
 * a rest leaves with whatever came in the same turn of the event loop. Large batches do not gain from
 * being larger: the next one is handed over before the last has ended.
 */
export class CallQueue {
  readonly #options: CallQueueOptions;
  readonly #pending = new Map<number, Pending>();
  #waiting: Call[] = [];
  /** What they weigh together. */
  #waitingWeight = 0;
  #underWay = 0;
  #flushPlanned = false;
  #nextId = 1;
  #closed: Error | undefined;

  constructor(options: CallQueueOptions) {
    this.#options = options;
  }

  call(verb: VerbName, args: readonly unknown[]): Promise<never> {
    return new Promise((resolve, reject) => {
      if (this.#closed !== undefined) return reject(this.#closed);
      if (this.#waiting.length >= mostWaiting) {
        return reject(new StoreUnavailable("the embedded store is overloaded"));
      }
      const id = this.#nextId++;
      this.#pending.set(id, { verb, args, resolve, reject });
      this.#waiting.push({ id, verb, args });
      this.#waitingWeight += weightOf(verb, args);
      this.#planFlush();
    });
  }

  /** A batch came back whole; calls of it that wait for an attempt are answered later. */
  batchDone(): void {
    this.#underWay--;
    while (this.#mayFlush()) this.#flush();
  }

  settle({ answers, failures }: Replies): void {
    for (let at = 0; at < answers.length; at += 2) {
      const pending = this.#take(answers[at] as number);
      pending?.resolve(unpackValue(pending, answers[at + 1]) as never);
    }
    for (const failure of failures) this.#take(failure.id)?.reject(errorOf(failure));
  }

  #take(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }

  /** Nothing more is taken; what is waiting is refused. */
  close(error: Error): void {
    this.#closed ??= error;
    const left = [...this.#pending.values()];
    this.#pending.clear();
    this.#waiting = [];
    this.#waitingWeight = 0;
    for (const pending of left) pending.reject(error);
  }

  #mayFlush(): boolean {
    if (this.#waiting.length === 0) return false;
    return (
      this.#underWay === 0 || (this.#underWay === 1 && this.#waitingWeight >= worthHandingOver)
    );
  }

  #planFlush(): void {
    if (this.#flushPlanned || !this.#mayFlush()) return;
    this.#flushPlanned = true;
    setImmediate(() => {
      this.#flushPlanned = false;
      if (this.#mayFlush()) this.#flush();
    });
  }

  #flush(): void {
    let count = 0;
    let weight = 0;
    while (count < this.#waiting.length && weight < largestBatch) {
      const { verb, args } = this.#waiting[count++]!;
      weight += weightOf(verb, args);
    }
    const calls = this.#waiting.splice(0, count);
    this.#waitingWeight -= weight;
    this.#underWay++;
    if (calls.some(({ verb }) => writes[verb])) this.#options.onBatch(calls.length);
    this.#options.send(calls);
  }
}

/** How many messages a call is about. */
function weightOf(verb: VerbName, args: readonly unknown[]): number {
  const about = verb === "scheduleMessages" ? args[0] : verb === "recordAttempts" ? args[1] : null;
  return Array.isArray(about) ? Math.max(1, about.length) : 1;
}

function errorOf({ unavailable, message }: Failure): Error {
  return unavailable
    ? new StoreUnavailable(`the embedded store cannot write: ${message}`)
    : new Error(`the embedded store failed: ${message}`);
}
