import type { Attempt } from "../../../src/domain/attempt.ts";
import type { Message, TrackedMessage } from "../../../src/domain/message.ts";
import type { NextStep } from "../../../src/domain/retry-policy.ts";
import { attempted, cancelled, rescheduled, scheduled } from "../../../src/domain/transitions.ts";
import type { ChangeAsked, Due, Refused, Told } from "../history.ts";

export type Answered = Told | Refused;

interface Waiter {
  readonly dueAt: number | null;
  answer(answer: Answered): void;
}

interface Row {
  message: TrackedMessage;
  readonly payload: string;
  readonly attempts: Attempt[];
  holder: string | null;
  waiters: Waiter[];
}

/**
 * The service in its smallest form. It executes one call after the other, each at its instant, as the
 * contract says.
 */
export class ReferenceStore {
  readonly rows = new Map<string, Row>();
  readonly #byKey = new Map<string, Message>();
  readonly #retentionMs: number;
  readonly #limit: number;
  used = 0;

  constructor(retentionMs: number, limit: number) {
    this.#retentionMs = retentionMs;
    this.#limit = limit;
  }

  schedule(key: string, due: Due, payload: string, now: number): Answered {
    const before = this.#byKey.get(key);
    if (before !== undefined) return { kind: "ok", message: before };
    if (this.used >= this.#limit) return { kind: "refused", code: "E-DI-5005" };
    this.used++;
    const messageId = `msg_${String(this.used).padStart(3, "0")}`;
    const deliveryTime = instantOf(due, now);
    const message = scheduled({ messageId, targetId: "t", deliveryTime, options: null }, now);
    this.rows.set(messageId, { message, payload, attempts: [], holder: null, waiters: [] });
    this.#byKey.set(key, seen(message));
    return { kind: "ok", message: seen(message) };
  }

  find(messageId: string, now: number): Row | undefined {
    const row = this.rows.get(messageId);
    return (row?.message.expirationTime ?? Infinity) > now ? row : undefined;
  }

  get(messageId: string, now: number): Answered {
    const row = this.find(messageId, now);
    return row === undefined
      ? { kind: "refused", code: "404" }
      : { kind: "ok", message: seen(row.message) };
  }

  /** Undefined if an attempt is in flight. The answer then comes with its outcome. */
  change(
    { messageId, dueAt: due }: Pick<ChangeAsked, "messageId" | "dueAt">,
    now: number,
    later: (answer: Answered) => void,
  ): Answered | undefined {
    const row = this.find(messageId, now);
    if (row === undefined) return { kind: "refused", code: "E-DI-5001" };
    const dueAt = due === null ? null : instantOf(due, now);
    if (row.holder === null) return this.#apply(row, dueAt, now);
    row.waiters.push({ dueAt, answer: later });
    return undefined;
  }

  #apply(row: Row, dueAt: number | null, now: number): Answered {
    const changed =
      dueAt === null
        ? cancelled(row.message, now, this.#retentionMs)
        : rescheduled(row.message, dueAt, now);
    if (changed === undefined || changed === "too-late") {
      return { kind: "refused", code: dueAt === null ? "E-DI-5003" : "E-DI-5004" };
    }
    row.message = changed;
    return { kind: "ok", message: seen(changed) };
  }

  record(row: Row, attempt: Attempt, next: NextStep, now: number): void {
    const overruled = next.kind !== "delivered" && row.waiters.length > 0;
    const { startTime } = attempt;
    const step: NextStep = overruled ? { kind: "retry", delayMs: 0 } : next;
    row.message = attempted(row.message, { startTime, next: step }, now, this.#retentionMs)!;
    row.attempts.push(attempt);
    this.release(row, now);
  }

  /** Applies the changes that waited for the attempt. */
  release(row: Row, now: number): void {
    row.holder = null;
    for (const { dueAt, answer } of row.waiters.splice(0)) answer(this.#apply(row, dueAt, now));
  }

  list(after: Message | undefined, limit: number): Message[] {
    const place = (message: Message): string =>
      `${String(message.nextDeliveryTime).padStart(12, "0")} ${message.messageId}`;
    return [...this.rows.values()]
      .map(({ message }) => seen(message))
      .filter(({ state }) => state === "SCHEDULED")
      .filter((message) => after === undefined || place(message) > place(after))
      .toSorted((one, other) => (place(one) < place(other) ? -1 : 1))
      .slice(0, limit);
  }
}

function instantOf(due: Due, now: number): number {
  return typeof due === "number" ? due : now + due.delayMs;
}

function seen({
  version: _version,
  planningTime: _planningTime,
  attemptCount: _attemptCount,
  attemptsThisRound: _attemptsThisRound,
  ...message
}: TrackedMessage): Message {
  return message;
}
