import type { Caller, Operator } from "../../../src/domain/access.ts";
import { RequestRefused } from "../../../src/domain/refusals.ts";
import type { Operations } from "../../../src/operations/operations.ts";
import type { Clock } from "../../../src/platform/clock.ts";
import { StoreUnavailable } from "../../../src/storage/store.ts";
import type { Asked, Refused, Unknown } from "../../history/history.ts";
import type { SeededRandom } from "../world/seeded-random.ts";
import { ProcessDied } from "../world/simulated-node.ts";
import type { ProcessRun } from "../world/simulated-node.ts";
import type { SimulatedTime } from "../world/simulated-time.ts";
import type { Trace } from "../world/trace.ts";

export interface ServiceLineOptions {
  readonly time: SimulatedTime;
  /** The clock by which callers compute due times. */
  readonly clock: Clock;
  readonly random: SeededRandom;
  readonly trace: Trace;
  /** The nodes that run now. */
  readonly runs: () => readonly ProcessRun[];
}

/** "unasked": no node listens, so the connection is refused and the call is never made. */
export type LineAnswer<Value> =
  | { readonly kind: "ok"; readonly value: Value }
  | Refused
  | Unknown
  | { readonly kind: "unasked" };

type Unanswered<Entry> = Entry extends Asked ? Omit<Entry, "answeredAt"> : never;

/** Through this all callers reach some node of the service. Logs their calls and the answers. */
export class ServiceLine {
  readonly #options: ServiceLineOptions;
  readonly asked: Asked[] = [];
  /** Errors other than refusals and an unavailable store. Each of them is a bug. */
  readonly bugs: string[] = [];
  readonly #messageIds = new Map<string, KnownMessage>();
  readonly #over = Promise.withResolvers<never>();
  /** From here on, callers do not repeat a call whose answer was lost. */
  gaveUp = false;

  constructor(options: ServiceLineOptions) {
    this.#options = options;
    this.#over.promise.catch(() => {});
  }

  get random(): SeededRandom {
    return this.#options.random;
  }

  /** When calls are made and answered. */
  now(): number {
    return this.#options.time.now();
  }

  /** By the store's clock. */
  instantIn(ms: number): number {
    return this.#options.clock.now() + ms;
  }

  /** Ends the run. Callers without an answer will never get one. */
  async hangUp(): Promise<void> {
    this.gaveUp = true;
    this.#over.reject(new ProcessDied("the run is over"));
    await new Promise((resolve) => setImmediate(resolve));
  }

  note(entry: Unanswered<Asked>): void {
    this.asked.push({ ...entry, answeredAt: this.now() });
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#options.time.after(ms, resolve));
  }

  /** Remembers which message a name stands for, so that later moves can be about it. */
  learn(name: string, message: KnownMessage): void {
    this.#messageIds.set(name, message);
  }

  knownAs(name: string): KnownMessage | undefined {
    return this.#messageIds.get(name);
  }

  async ask<Value>(
    what: string,
    work: (operations: Operations) => Promise<Value>,
  ): Promise<LineAnswer<Value>> {
    const { runs, random, time, trace } = this.#options;
    const up = runs();
    if (up.length === 0) return { kind: "unasked" };
    const run = random.fork(what).pick(up);
    const told = (answer: string): void =>
      trace.note(time.monotonic(), `${run.nodeId} ${what}: ${answer}`);
    try {
      const working = new Promise<Value>((resolve) =>
        run.process.whenAwake(() => resolve(work(run.operations))),
      );
      const value = await Promise.race([working, run.death, this.#over.promise]);
      told("ok");
      return { kind: "ok", value };
    } catch (error) {
      if (error instanceof RequestRefused) {
        const { code } = error.problems[0]!;
        told(code);
        return { kind: "refused", code };
      }
      const expected = error instanceof StoreUnavailable || error instanceof ProcessDied;
      if (!expected) this.bugs.push(`${what}: ${String((error as Error).stack ?? error)}`);
      told("unknown");
      return { kind: "unknown" };
    }
  }
}

export interface KnownMessage {
  readonly messageId: string;
  readonly accountId: string;
}

export const operator: Operator = {
  actor: { kind: "operator", id: "operator" },
  requestId: "simulated",
};

export function callerOf(accountId: string): Caller {
  return {
    accountId,
    account: {
      accountId,
      name: accountId,
      state: "ACTIVE",
      monthlyMessageLimit: null,
      requestLimit: null,
      creationTime: 0,
      suspensionTime: null,
    },
    scopes: ["scheduler.all.readwrite"],
    actor: { kind: "key", id: `key of ${accountId}` },
    requestId: "simulated",
  };
}
