import type { Clock } from "../../../platform/clock.ts";
import { FairLines } from "../../../platform/fair-lines.ts";
import type { Timer, Timers } from "../../../platform/timers.ts";
import { StoreUnavailable } from "../../store.ts";
import { ownerOf, piecesOf, weightOf } from "./call-weight.ts";
import { unpackValue } from "./crossing.ts";
import type { Failure, Replies } from "./crossing.ts";
import type { Call } from "./executor.ts";
import { ReturningCallers } from "./returning-callers.ts";
import type { EndedBatch } from "./returning-callers.ts";
import { verbs } from "./verbs.ts";
import type { VerbName } from "./verbs.ts";

interface Pending extends Pick<Call, "verb" | "args"> {
  resolve(value: never): void;
  reject(error: Error): void;
}

export interface CallQueueOptions {
  /** Hands a batch over. The answers come back through `settle`. */
  readonly send: (calls: readonly Call[]) => void;
  /** Receives the number of calls that shared a commit. Calls that only read need none. */
  readonly onBatch: (size: number) => void;
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
}

/** The most that shares a commit, by `weightOf`: about 1.5 MB of payloads. */
const largestBatch = 2_000;
/** How much of a batch one account may take before the next account's turn. */
const turnWeight = 100;
/**
 * This much may be handed over while a batch is under way, so that the store need not wait until
 * this thread notices its end.
 */
const worthHandingOver = 500;
/** With more calls waiting, the store is so far behind that a caller is better refused at once. */
const mostWaiting = 20_000;

/**
 * Gathers calls while a batch is under way, so that they share the next commit. The first call
 * after a pause leaves with all others of the same iteration of the event loop. Large batches gain
 * nothing from growing further, so the next one is handed over before the last has ended. On a slow
 * disk, a small batch waits for the callers who have just been answered.
 *
 * When more waits than fits a batch, the engine's calls go first, and accounts take turns with
 * theirs. No delivery, and no other account, waits for all the calls of one account.
 */
export class CallQueue {
  readonly #options: CallQueueOptions;
  readonly #pending = new Map<number, Pending>();
  /** In order of arrival, while all of it fits one batch. */
  #arrived: Call[] = [];
  /** Calls that had to wait for a later batch. */
  #engines: Call[] = [];
  readonly #callers = new FairLines<Call>(turnWeight);
  /** How many of the waiting calls are the engine's. No delivery waits for a caller. */
  #engineWaits = 0;
  /** The weight of all waiting calls. */
  #waitingWeight = 0;
  #underWay = 0;
  #flushPlanned = false;
  readonly #returning: ReturningCallers;
  /** Runs while the next batch waits for callers to come back. */
  #hold: Timer | undefined;
  #nextId = 1;
  #closed: Error | undefined;

  constructor(options: CallQueueOptions) {
    this.#options = options;
    this.#returning = new ReturningCallers(options.clock);
  }

  call(verb: VerbName, args: readonly unknown[]): Promise<never> {
    const weight = weightOf(verb, args);
    const pieces = piecesOf(verb, args, weight);
    return pieces === undefined
      ? this.#call(verb, args, weight)
      : (this.#callInPieces(verb, pieces) as Promise<never>);
  }

  /** A batch has ended. Its calls that wait for an attempt are answered later. */
  batchDone(ended: EndedBatch): void {
    this.#underWay--;
    const holdMs = this.#returning.batchEnded(ended);
    if (holdMs > 0 && this.#underWay === 0 && this.#engineWaits === 0) this.#startHold(holdMs);
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
      if (this.waiting >= mostWaiting) {
        return reject(new StoreUnavailable("the embedded store is overloaded"));
      }
      const id = this.#nextId++;
      this.#pending.set(id, { verb, args, resolve, reject });
      this.#arrived.push({ id, verb, args });
      this.#waitingWeight += weight;
      this.#returning.called();
      if (verbs[verb].goesFirst) this.#engineWaits++;
      if (this.#engineWaits > 0 || this.#returning.allBack) this.#endHold();
      this.#planFlush();
    });
  }

  /** The pieces stay in order in their account's line, so the earlier ones are decided first. */
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

  /** Takes no more calls, and refuses those that wait. */
  close(error: Error): void {
    this.#closed ??= error;
    const left = [...this.#pending.values()];
    this.#pending.clear();
    this.#takeAll();
    this.#endHold();
    for (const pending of left) pending.reject(error);
  }

  /** How many calls wait for a batch. */
  get waiting(): number {
    return this.#arrived.length + this.#engines.length + this.#callers.size;
  }

  #mayFlush(): boolean {
    if (this.waiting === 0) return false;
    if (this.#waitingWeight >= worthHandingOver) return this.#underWay <= 1;
    return this.#underWay === 0 && this.#hold === undefined;
  }

  #startHold(holdMs: number): void {
    this.#endHold();
    this.#hold = this.#options.timers.after(holdMs, () => {
      this.#endHold();
      if (this.#mayFlush()) this.#flush();
    });
  }

  #endHold(): void {
    this.#hold?.cancel();
    this.#hold = undefined;
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
    this.#endHold();
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
    this.#engineWaits = 0;
    return calls;
  }

  #takeInTurn(): Call[] {
    for (const call of this.#arrived) {
      const { verb, args } = call;
      if (verbs[verb].goesFirst) this.#engines.push(call);
      else this.#callers.add(ownerOf(verb, args), call, weightOf(verb, args));
    }
    this.#arrived = [];
    let count = 0;
    let weight = 0;
    while (count < this.#engines.length && weight < largestBatch) {
      const { verb, args } = this.#engines[count++]!;
      weight += weightOf(verb, args);
    }
    const calls = this.#engines.splice(0, count);
    this.#engineWaits = this.#engines.length;
    const before = this.#callers.weight;
    // At least one caller's call goes with every batch, because the engine may be busy for long.
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
