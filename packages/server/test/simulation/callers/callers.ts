import type { Caller, Operator } from "../../../src/domain/access.ts";
import type { Message } from "../../../src/domain/message.ts";
import type { Clock } from "../../../src/platform/clock.ts";
import { RequestRefused } from "../../../src/domain/refusals.ts";
import { formatTime } from "../../../src/domain/times.ts";
import type { Operations } from "../../../src/operations/operations.ts";
import { completeRetryPolicy } from "../../../src/operations/retry-policies/complete-retry-policy.ts";
import type { BatchItem } from "../../../src/operations/messages/schedule-batch.ts";
import { StoreUnavailable } from "../../../src/storage/store.ts";
import type {
  Asked,
  AskedBound,
  AskedOptions,
  Due,
  PageAsked,
  Refused,
  ScheduleAsked,
  Told,
  Unknown,
} from "../../history/history.ts";
import type { Move, MoveBound } from "./moves.ts";
import type { SeededRandom } from "./seeded-random.ts";
import { ProcessDied } from "./simulated-node.ts";
import type { ProcessRun } from "./simulated-node.ts";
import type { SimulatedTime } from "./simulated-time.ts";
import type { Trace } from "./trace.ts";

type Schedule = Extract<Move, { kind: "schedule" }>;
type Batch = Extract<Move, { kind: "batch" }>;
type Change = Extract<Move, { kind: "cancel" | "reschedule" }>;
type Get = Extract<Move, { kind: "get" }>;
type Walk = Extract<Move, { kind: "walk" }>;

/** A call about an account or one of its targets. */
export interface Managed {
  readonly accountId: string;
  /** Null if the call is about the account. */
  readonly targetId: string | null;
  readonly change: Extract<Move, { kind: "account" | "target" }>["change"];
  readonly askedAt: number;
  readonly answeredAt: number;
  /** False if the answer was lost. */
  readonly isCertain: boolean;
}

export interface CallersOptions {
  readonly time: SimulatedTime;
  /** The clock by which callers compute due times. */
  readonly clock: Clock;
  readonly random: SeededRandom;
  readonly trace: Trace;
  /** The nodes that run now. */
  readonly runs: () => readonly ProcessRun[];
}

/** The callers of the service. They log their calls and the answers. */
export class Callers {
  readonly #options: CallersOptions;
  readonly asked: Asked[] = [];
  readonly managed: Managed[] = [];
  /** Errors other than refusals and an unavailable store. Each of them is a bug. */
  readonly bugs: string[] = [];
  readonly #messageIds = new Map<string, { messageId: string; accountId: string }>();
  readonly #over = Promise.withResolvers<never>();
  #walks = 0;
  #gaveUp = false;

  constructor(options: CallersOptions) {
    this.#options = options;
    this.#over.promise.catch(() => {});
  }

  /** From here on, callers do not repeat a call whose answer was lost. */
  giveUp(): void {
    this.#gaveUp = true;
  }

  goOn(): void {
    this.#gaveUp = false;
  }

  /** Ends the run. Callers without an answer will never get one. */
  async hangUp(): Promise<void> {
    this.giveUp();
    this.#over.reject(new ProcessDied("the run is over"));
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Repeats the call with the same key until there is an answer. */
  async schedule(
    move: Schedule,
    dueAt = this.#dueOf(move),
    options = this.#optionsOf(move),
  ): Promise<void> {
    const { time } = this.#options;
    const draft = { ...draftOf(move, dueAt, options), problems: [] };
    for (let count = 1; !this.#gaveUp; count++) {
      const base = {
        ...scheduleAsked(move, dueAt, options),
        verb: "schedule",
        askedAt: time.now(),
      } as const;
      const answer = await this.#ask(`${move.name} ${count}`, (operations) =>
        operations.scheduleMessage(callerOf(move.accountId), draft, move.name),
      );
      if (answer.kind === "ok") {
        const { message } = answer.value;
        this.#learn(move, message);
        this.#note({ ...base, answer: { kind: "ok", message } });
      } else if (answer.kind !== "unasked") {
        this.#note({ ...base, answer });
      }
      if (answer.kind === "ok" || answer.kind === "refused") return;
      await this.#pause(1_000);
    }
  }

  /** Repeats the batch until there is an answer. Items with keys of their own are repeated alone. */
  async scheduleBatch({ items, ownKeys = false }: Batch): Promise<void> {
    const { time } = this.#options;
    const [first] = items;
    if (first === undefined) return;
    const dueAt = items.map((item) => this.#dueOf(item));
    const options = items.map((item) => this.#optionsOf(item));
    const drafts = items.map((item, place) => ({
      ...draftOf(item, dueAt[place]!, options[place]),
      problems: [],
      idempotencyKey: ownKeys ? item.name : undefined,
    }));
    const verb = ownKeys ? "schedule" : "batch item";
    for (let count = 1; !this.#gaveUp; count++) {
      const askedAt = time.now();
      const base = (place: number) =>
        ({
          ...scheduleAsked(items[place]!, dueAt[place]!, options[place]),
          verb,
          askedAt,
        }) as const;
      const answer = await this.#ask(`${first.name} ${count}`, (operations) =>
        operations.scheduleBatch(
          callerOf(first.accountId),
          drafts,
          ownKeys ? undefined : first.name,
        ),
      );
      for (const place of items.keys()) {
        if (answer.kind === "ok") {
          const result = answer.value.results[place]!;
          if ("message" in result) this.#learn(items[place]!, result.message);
          this.#note({ ...base(place), answer: answerOfItem(result) });
        } else if (answer.kind !== "unasked") {
          this.#note({ ...base(place), answer });
        }
      }
      if (answer.kind === "ok" || answer.kind === "refused") return;
      await this.#pause(1_000);
      if (ownKeys) {
        await Promise.all(
          items.map((item, place) => this.schedule(item, dueAt[place], options[place])),
        );
        return;
      }
    }
  }

  #dueOf({ dueInMs, byDelay = false }: Pick<Schedule, "dueInMs" | "byDelay">): Due {
    return byDelay ? { delayMs: dueInMs } : this.#options.clock.now() + dueInMs;
  }

  #optionsOf({ options }: Schedule): AskedOptions | undefined {
    if (options === undefined) return undefined;
    const { bound, delaysMs, ...others } = options;
    return {
      ...others,
      ...(bound !== undefined && { bound: this.#boundOf(bound) }),
      ...(delaysMs !== undefined && {
        retryPolicy: completeRetryPolicy({ backoff: { kind: "list", delaysMs } }),
      }),
    };
  }

  #boundOf(bound: MoveBound): AskedBound {
    return "notAfterMs" in bound ? bound : { notAfter: this.#options.clock.now() + bound.endsInMs };
  }

  /** Calls only once. A caller whose answer was lost does not know the result, which is a case to test. */
  async change(move: Change): Promise<void> {
    const known = this.#messageIds.get(move.name);
    if (known === undefined) return;
    const { time } = this.#options;
    const { accountId, messageId } = known;
    const caller = callerOf(accountId);
    const dueAt = move.kind === "cancel" ? null : this.#dueOf(move);
    const given = move.kind === "cancel" ? undefined : move.bound;
    const bound = given == null ? given : this.#boundOf(given);
    const askedAt = time.now();
    const answer = await this.#ask(`${move.kind} ${move.name}`, (operations) =>
      dueAt === null
        ? operations.cancelMessage(caller, messageId)
        : operations.rescheduleMessage(caller, messageId, {
            ...wanted(dueAt),
            ...(bound !== undefined && boundFields(bound)),
          }),
    );
    if (answer.kind === "unasked") return;
    this.#note({
      verb: move.kind,
      accountId,
      writer: move.name,
      messageId,
      dueAt,
      ...(bound !== undefined && { bound }),
      askedAt,
      answer: answer.kind === "ok" ? { kind: "ok", message: answer.value } : answer,
    });
  }

  async get(move: Get): Promise<void> {
    const known = this.#messageIds.get(move.name);
    if (known === undefined) return;
    const { accountId, messageId } = known;
    const askedAt = this.#options.time.now();
    const answer = await this.#ask(`get ${move.name}`, (operations) =>
      operations.getMessage(callerOf(accountId), messageId),
    );
    if (answer.kind === "unasked") return;
    const told = (message: Message | undefined) =>
      message === undefined
        ? ({ kind: "refused", code: "404" } as const)
        : ({ kind: "ok", message } as const);
    this.#note({
      verb: "get",
      accountId,
      writer: move.name,
      messageId,
      askedAt,
      answer: answer.kind === "ok" ? told(answer.value) : answer,
    });
  }

  async walk(move: Walk): Promise<void> {
    const { accountId, targetId, limit } = move;
    const walk = `walk ${++this.#walks}`;
    let pageToken: string | undefined;
    for (let tries = 0; tries < 1_000 && !this.#gaveUp; tries++) {
      const askedAt = this.#options.time.now();
      const query = { limit, problems: [], pageToken };
      const answer = await this.#ask(walk, (operations) =>
        move.list === "scheduled"
          ? operations.listScheduledMessages(callerOf(accountId), targetId, query)
          : operations.listDeadLetters(callerOf(accountId), targetId, query),
      );
      const base: Omit<PageAsked, "answer" | "answeredAt"> = {
        verb: "list page",
        accountId,
        writer: walk,
        walk,
        list: move.list === "scheduled" ? "scheduled" : "dead letters",
        targetId,
        minTime: null,
        maxTime: null,
        limit,
        askedAt,
      };
      if (answer.kind === "refused") return this.#note({ ...base, answer });
      if (answer.kind === "ok") {
        const { items, nextPageToken } = answer.value;
        this.#note({ ...base, answer: { kind: "ok", items, isLast: nextPageToken === null } });
        if (nextPageToken === null) return;
        pageToken = nextPageToken;
      }
      await this.#pause(this.#options.random.between(1, 500));
    }
  }

  /** Repeats a call that is not about a message until it succeeds. */
  async manage(
    { accountId, targetId, change }: Pick<Managed, "accountId" | "targetId" | "change">,
    work: (operations: Operations, operator: Operator) => Promise<unknown>,
  ): Promise<void> {
    const { time } = this.#options;
    while (!this.#gaveUp) {
      const askedAt = time.now();
      const what = `${change} ${targetId ?? accountId}`;
      const answer = await this.#ask(what, (operations) => work(operations, operator));
      if (answer.kind !== "unasked") {
        const answered = { answeredAt: time.now(), isCertain: answer.kind !== "unknown" };
        this.managed.push({ accountId, targetId, change, askedAt, ...answered });
      }
      if (answer.kind === "ok" || answer.kind === "refused") return;
      await this.#pause(200);
    }
  }

  #learn({ name, accountId }: Schedule, { messageId }: Message): void {
    this.#messageIds.set(name, { messageId, accountId });
  }

  #note(entry: Unanswered<Asked>): void {
    this.asked.push({ ...entry, answeredAt: this.#options.time.now() });
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#options.time.after(ms, resolve));
  }

  async #ask<Value>(
    what: string,
    work: (operations: Operations) => Promise<Value>,
  ): Promise<{ kind: "ok"; value: Value } | Refused | Unknown | { kind: "unasked" }> {
    const { runs, random, time, trace } = this.#options;
    const up = runs();
    // No node listens, so the connection is refused and the call is never made.
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

function answerOfItem(result: BatchItem): Told | Refused {
  if ("message" in result) return { kind: "ok", message: result.message };
  return { kind: "refused", code: result.errors[0]!.code };
}

type Unanswered<Entry> = Entry extends Asked ? Omit<Entry, "answeredAt"> : never;

const operator: Operator = { actor: { kind: "operator", id: "operator" }, requestId: "simulated" };

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

function wanted(due: Due) {
  return typeof due === "number"
    ? { deliveryTime: formatTime(due) }
    : { deliveryTime: undefined, ...due };
}

function boundFields(bound: AskedBound | null) {
  if (bound === null) return { notAfter: null };
  return "notAfter" in bound ? { notAfter: formatTime(bound.notAfter) } : bound;
}

function draftOf({ targetId, payload }: Schedule, due: Due, options: AskedOptions | undefined) {
  const { bound, ...others } = options ?? {};
  const given = { ...others, ...(bound !== undefined && boundFields(bound)) };
  return { targetId, ...wanted(due), payload, ...(options !== undefined && { options: given }) };
}

function scheduleAsked(
  { name, accountId, targetId, payload }: Schedule,
  dueAt: Due,
  options: AskedOptions | undefined,
): Omit<ScheduleAsked, "verb" | "answer" | "askedAt" | "answeredAt"> {
  const asked = { accountId, writer: name, key: name, targetId, dueAt, payload };
  return options === undefined ? asked : { ...asked, options };
}
