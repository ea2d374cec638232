import { FairLines } from "../../../platform/fair-lines.ts";
import { StoreUnavailable } from "../../store.ts";
import { ownerOf, piecesOf, weightOf } from "./call-weight.ts";
import { unpackValue } from "./crossing.ts";
import type { Failure, Replies } from "./crossing.ts";
import type { Call } from "./executor.ts";
import { verbs } from "../verbs.ts";
import type { VerbName } from "../verbs.ts";

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

/** By `weightOf`, about 1.5 MB of payloads: so much shares a commit at most. */
const largestBatch = 2_000;
/** What an account may take of it before it is another one's turn. */
const turnWeight = 100;
/** So much may be handed over while a batch is under way: the store is not to wait for us to notice its end. */
const worthHandingOver = 500;
/** Beyond this the store is so far behind that a caller is better served by hearing it at once. */
const mostWaiting = 20_000;

/**
 * Gathers calls while a batch is under way, so that they share the next commit; the first call after
 * a rest leaves with whatever came in the same iteration of the event loop. Large batches do not gain from
 * being larger: the next one is handed over before the last has ended.
 *
 * Where more waits than a batch takes, the engine's calls go first and accounts take turns with theirs:
 * no delivery, and no other account, waits for all that one account has brought.
 */
export class CallQueue {
  readonly #options: CallQueueOptions;
  readonly #pending = new Map<number, Pending>();
  /** In order of arrival, while all of it fits a batch. */
  #arrived: Call[] = [];
  /** What had to wait for a later batch. */
  #engines: Call[] = [];
  readonly #callers = new FairLines<Call>(turnWeight);
  /** What all of them weigh together. */
  #waitingWeight = 0;
  #underWay = 0;
  #flushPlanned = false;
  #nextId = 1;
  #closed: Error | undefined;

  constructor(options: CallQueueOptions) {
    this.#options = options;
  }

  call(verb: VerbName, args: readonly unknown[]): Promise<never> {
    const weight = weightOf(verb, args);
    const pieces = piecesOf(verb, args, weight);
    return pieces === undefined
      ? this.#call(verb, args, weight)
      : (this.#callInPieces(verb, pieces) as Promise<never>);
  }

  /** A batch came back whole; calls of it that wait for an attempt are answered later. */
  batchDone(): void {
    this.#underWay--;
    while (this.#mayFlush()) this.#flush();
  }

  settle({ answers, failures }: Replies): void {
    for (let at = 0; at < answers.length;) {
      const pending = this.#take(answers[at++] as number);
      const packed = answers[at++];
      pending?.resolve(unpackValue(pending, packed) as never);
    }
    for (const failure of failures) this.#take(failure.id)?.reject(errorOf(failure));
  }

  #call(verb: VerbName, args: readonly unknown[], weight: number): Promise<never> {
    return new Promise((resolve, reject) => {
      if (this.#closed !== undefined) return reject(this.#closed);
      if (this.#waitingCount >= mostWaiting) {
        return reject(new StoreUnavailable("the embedded store is overloaded"));
      }
      const id = this.#nextId++;
      this.#pending.set(id, { verb, args, resolve, reject });
      this.#arrived.push({ id, verb, args });
      this.#waitingWeight += weight;
      this.#planFlush();
    });
  }

  /** They stay next to each other in their account's line: the earlier ones are decided first. */
  async #callInPieces(
    verb: VerbName,
    pieces: readonly (readonly unknown[])[],
  ): Promise<readonly unknown[]> {
    const call = (piece: readonly unknown[]): Promise<readonly unknown[]> =>
      this.#call(verb, [piece], weightOf(verb, [piece]));
    return (await Promise.all(pieces.map(call))).flat();
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
    this.#takeAll();
    for (const pending of left) pending.reject(error);
  }

  get #waitingCount(): number {
    return this.#arrived.length + this.#engines.length + this.#callers.size;
  }

  #mayFlush(): boolean {
    if (this.#waitingCount === 0) return false;
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
    const calls = this.#waitingWeight <= largestBatch ? this.#takeAll() : this.#takeInTurn();
    this.#underWay++;
    if (calls.some(({ verb }) => verbs[verb].writes)) this.#options.onBatch(calls.length);
    this.#options.send(calls);
  }

  #takeAll(): Call[] {
    let calls = this.#arrived;
    if (this.#engines.length > 0 || this.#callers.size > 0) {
      calls = [...this.#engines, ...this.#callers.takeAll(), ...this.#arrived];
      this.#engines = [];
    }
    this.#arrived = [];
    this.#waitingWeight = 0;
    return calls;
  }

  #takeInTurn(): Call[] {
    for (const call of this.#arrived) {
      const { verb, args } = call;
      if (verbs[verb].goesFirst) this.#engines.push(call);
      else this.#callers.add(ownerOf(args), call, weightOf(verb, args));
    }
    this.#arrived = [];
    let count = 0;
    let weight = 0;
    while (count < this.#engines.length && weight < largestBatch) {
      const { verb, args } = this.#engines[count++]!;
      weight += weightOf(verb, args);
    }
    const calls = this.#engines.splice(0, count);
    const before = this.#callers.weight;
    // One of them goes in any case: the engine may be busy for long.
    calls.push(...this.#callers.take(largestBatch - weight));
    this.#waitingWeight -= weight + before - this.#callers.weight;
    return calls;
  }
}

function errorOf({ unavailable, message }: Failure): Error {
  return unavailable
    ? new StoreUnavailable(`the embedded store cannot write: ${message}`)
    : new Error(`the embedded store failed: ${message}`);
}
