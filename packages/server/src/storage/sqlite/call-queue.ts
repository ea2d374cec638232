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

const longestBatch = 1_000;
/** Beyond this the store is so far behind that a caller is better served by hearing it at once. */
const mostWaiting = 20_000;

/**
 * Gathers calls while a batch is under way, so that they share the next commit; the first call after
 * a rest leaves with whatever came in the same turn of the event loop.
 */
export class CallQueue {
  readonly #options: CallQueueOptions;
  readonly #pending = new Map<number, Pending>();
  #waiting: Call[] = [];
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
      this.#planFlush();
    });
  }

  /** A batch came back whole; calls of it that wait for an attempt are answered later. */
  batchDone(): void {
    this.#underWay--;
    if (this.#waiting.length > 0) this.#flush();
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
    for (const pending of left) pending.reject(error);
  }

  #planFlush(): void {
    if (this.#flushPlanned || this.#underWay > 0) return;
    this.#flushPlanned = true;
    setImmediate(() => {
      this.#flushPlanned = false;
      if (this.#underWay === 0 && this.#waiting.length > 0) this.#flush();
    });
  }

  #flush(): void {
    const calls = this.#waiting.splice(0, longestBatch);
    this.#underWay++;
    if (calls.some(({ verb }) => writes[verb])) this.#options.onBatch(calls.length);
    this.#options.send(calls);
  }
}

function errorOf({ unavailable, message }: Failure): Error {
  return unavailable
    ? new StoreUnavailable(`the embedded store cannot write: ${message}`)
    : new Error(`the embedded store failed: ${message}`);
}
