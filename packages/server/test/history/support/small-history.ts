import type { Attempt } from "../../../src/domain/attempt.ts";
import type { Message } from "../../../src/domain/message.ts";
import type { RetryPolicy } from "../../../src/domain/retry-policy.ts";
import { promisedBounds } from "../history.ts";
import type {
  Asked,
  ChangeAsked,
  Due,
  FinalMessage,
  GetAsked,
  History,
  PageAsked,
  Receipt,
  ScheduleAsked,
} from "../history.ts";

/**
 * Parts for histories of one message `m`, scheduled at 0 for 1,000. A test changes only the parts it needs.
 */

export const retentionMs = 100_000;
export const accountId = "acc_a";

export const policy: RetryPolicy = {
  maxAttempts: 3,
  backoff: { kind: "list", delaysMs: [500], jitter: 0 },
  finalStatuses: [],
  maxRetryAfterMs: 0,
};

export function message(shown: Partial<Message> = {}): Message {
  const state = shown.state ?? "SCHEDULED";
  const endedAt = shown.cancellationTime ?? shown.deadLetterTime ?? null;
  return {
    messageId: "m",
    targetId: "t",
    schedulingTime: 5,
    originalDeliveryTime: 1_000,
    state,
    deliveryFailureCount: 0,
    nextDeliveryTime: state === "SCHEDULED" ? 1_000 : null,
    lastDeliveryTime: null,
    deadLetterTime: null,
    cancellationTime: null,
    expirationTime: endedAt === null ? null : endedAt + retentionMs,
    endReason: state === "DEAD_LETTER" ? "ATTEMPTS_EXHAUSTED" : null,
    options: null,
    ...shown,
  };
}

export const delivered = (startTime: number, shown: Partial<Message> = {}): Message =>
  message({
    state: "DELIVERED",
    lastDeliveryTime: startTime,
    expirationTime: startTime + 15 + retentionMs,
    ...shown,
  });
export const cancelled = (cancellationTime: number, shown: Partial<Message> = {}): Message =>
  message({ state: "CANCELLED", cancellationTime, ...shown });

const call = { accountId, writer: "w", askedAt: 0, answeredAt: 10 };

export function schedule(asked: Partial<ScheduleAsked> = {}): ScheduleAsked {
  return {
    ...call,
    verb: "schedule",
    key: "k",
    targetId: "t",
    dueAt: 1_000,
    payload: "hello",
    answer: { kind: "ok", message: message() },
    ...asked,
  };
}

export const refused = (code: string) => ({ kind: "refused", code }) as const;
export const unknown = { kind: "unknown" } as const;
export const ok = (shown: Message) => ({ kind: "ok", message: shown }) as const;

type Answer = ChangeAsked["answer"];

export const cancel = (askedAt: number, answeredAt: number, answer: Answer): ChangeAsked => ({
  ...call,
  verb: "cancel",
  messageId: "m",
  dueAt: null,
  askedAt,
  answeredAt,
  answer,
});

export const reschedule = (
  askedAt: number,
  answeredAt: number,
  dueAt: Due,
  answer: Answer = ok(message({ nextDeliveryTime: typeof dueAt === "number" ? dueAt : null })),
): ChangeAsked => ({ ...cancel(askedAt, answeredAt, answer), verb: "reschedule", dueAt });

export const get = (askedAt: number, answeredAt: number, answer: Answer): GetAsked => ({
  ...call,
  verb: "get",
  messageId: "m",
  askedAt,
  answeredAt,
  answer,
});

export function page(items: readonly Message[], asked: Partial<PageAsked> = {}): PageAsked {
  return {
    ...call,
    verb: "list page",
    walk: "walk",
    list: "scheduled",
    targetId: "t",
    minTime: null,
    maxTime: null,
    limit: 100,
    askedAt: 100,
    answeredAt: 110,
    answer: { kind: "ok", items, isLast: true },
    ...asked,
  };
}

export function receipt(startedAt: number, seen: Partial<Receipt> = {}): Receipt {
  return {
    messageId: "m",
    webhookId: "m",
    attemptNumber: 1,
    targetId: "t",
    body: Buffer.from("hello"),
    startedAt,
    endedAt: startedAt + 10,
    status: 204,
    node: "n1",
    ...seen,
  };
}

export function attempt(startTime: number, made: Partial<Attempt> = {}): Attempt {
  return {
    number: 1,
    startTime,
    endTime: startTime + 10,
    outcome: "DELIVERED",
    statusCode: 204,
    error: null,
    response: null,
    ...made,
  };
}

export const failedAttempt = (startTime: number, made: Partial<Attempt> = {}): Attempt =>
  attempt(startTime, { outcome: "BAD_STATUS", statusCode: 500, ...made });

export function kept(shown: Message, ...attempts: Attempt[]): FinalMessage {
  return { message: shown, attempts, payload: "hello" };
}

export interface SmallHistory extends Partial<Omit<History, "final" | "asked" | "bounds">> {
  readonly asked?: readonly Asked[];
  readonly m?: FinalMessage | null | undefined;
  readonly others?: Readonly<Record<string, FinalMessage | null>>;
  readonly bounds?: Partial<History["bounds"]>;
  readonly final?: Partial<History["final"]>;
}

/** Without any parts, the message is scheduled and delivered when it is due. */
export function smallHistory(parts: SmallHistory = {}): History {
  const m = "m" in parts ? parts.m : kept(delivered(1_000), attempt(1_000));
  return {
    asked: parts.asked ?? [schedule()],
    receipts: parts.receipts ?? [receipt(1_000)],
    faults: parts.faults ?? [],
    clockSteps: parts.clockSteps ?? [],
    targets: parts.targets ?? [{ accountId, targetId: "t", retryPolicy: policy, timeoutMs: 5_000 }],
    final: {
      takenAt: 60_000,
      messages: new Map([
        ...(m === undefined ? [] : [["m", m] as const]),
        ...Object.entries(parts.others ?? {}),
      ]),
      isComplete: false,
      usage: [],
      ...parts.final,
    },
    bounds: { ...promisedBounds, retentionMs, recordMs: 100, sendMs: 5, ...parts.bounds },
    expects: parts.expects ?? {
      schedules: 0,
      cancels: 0,
      reschedules: 0,
      unknowns: 0,
      receipts: 0,
      takeovers: 0,
    },
  };
}
