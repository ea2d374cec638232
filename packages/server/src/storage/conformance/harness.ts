import { afterEach } from "vitest";
import type { Account } from "../../domain/account.ts";
import type { AuditEntry, AuditNote } from "../../domain/audit.ts";
import type { RateLimit } from "../../domain/rate-limit.ts";
import { defaultRetryPolicy } from "../../domain/retry-policy.ts";
import type { Attempt, AttemptOutcome } from "../../domain/attempt.ts";
import type { NextStep } from "../../domain/retry-policy.ts";
import type { Target } from "../../domain/target.ts";
import type { WantedTime } from "../../domain/wanted-time.ts";
import type {
  AttemptResult,
  Claim,
  NewClient,
  NewTarget,
  ScheduleRequest,
  Store,
} from "../store.ts";

export interface StoreOptions {
  readonly retentionMs: number;
  readonly idempotencyRetentionMs: number;
  readonly auditRetentionMs?: number;
  readonly eventRetentionMs?: number;
  readonly eventLimit?: number;
  readonly monthlyMessageLimit?: number | null;
  readonly requestLimit?: RateLimit | null;
  /** For stores that several nodes share. */
  readonly leaseMs?: number;
}

/** Where a store keeps its data. A store that opens it again must find the same data. */
export interface StoreLocation {
  open(options: StoreOptions): Promise<Store>;
  /** Resolves once this many cancels and reschedules wait for an attempt in flight. */
  whenWaiting(store: Store, count: number): Promise<void>;
  /** How many attempts are stored, at all messages. */
  countAttempts(): Promise<number>;
  remove(): Promise<void>;
}

export type MakeLocation = () => Promise<StoreLocation>;

export const account = "acc_one";
export const otherAccount = "acc_two";
export const hour = 3_600_000;

export interface Opened {
  readonly store: Store;
  readonly whenWaiting: (count: number) => Promise<void>;
  readonly countAttempts: () => Promise<number>;
  /** Opens one more store on the same data, as another node would; only for shared stores. */
  readonly openAnother: () => Promise<Store>;
  /** Closes the store and opens it again on the same data. */
  readonly reopen: (options?: Partial<StoreOptions>) => Promise<Store>;
}

/** Opens stores for tests, each in its own location with two accounts, and cleans up afterwards. */
export function storesOf(
  makeLocation: MakeLocation,
): (options?: Partial<StoreOptions>) => Promise<Opened> {
  const leftovers: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const clear of leftovers.splice(0).toReversed()) await clear();
  });
  return async (options = {}) => {
    const location = await makeLocation();
    leftovers.push(() => location.remove());
    const openHere = async (changed: Partial<StoreOptions>): Promise<Store> => {
      const opened = await location.open({
        retentionMs: 24 * hour,
        idempotencyRetentionMs: 24 * hour,
        ...options,
        ...changed,
      });
      leftovers.push(() => opened.close());
      return opened;
    };
    const store = await openHere({});
    await store.ensureAccount(account, "One");
    await store.ensureAccount(otherAccount, "Two");
    let current = store;
    return {
      store,
      whenWaiting: (count) => location.whenWaiting(current, count),
      countAttempts: () => location.countAttempts(),
      openAnother: () => openHere({}),
      async reopen(changed = {}) {
        await current.close();
        current = await openHere(changed);
        return current;
      },
    };
  };
}

let notes = 0;

/** The audit note for a verb, each with its own id. */
export function note(change: Partial<AuditNote> = {}): AuditNote {
  return {
    entryId: `entry_${String(++notes).padStart(6, "0")}`,
    actor: { kind: "key", id: "key_of_somebody" },
    requestId: "req_1",
    action: "target.updated",
    accountId: account,
    subjectId: "t",
    detail: {},
    ...change,
  };
}

export function limitMessages(
  store: Pick<Store, "updateAccount">,
  accountId: string,
  monthlyMessageLimit: number | null,
): Promise<Account | undefined> {
  return store.updateAccount(accountId, { monthlyMessageLimit }, note({ accountId }));
}

export function newTarget(targetId: string, change: Partial<NewTarget> = {}): NewTarget {
  return {
    accountId: account,
    targetId,
    kind: "webhook",
    sealedSettings: "settings",
    sealedSecrets: "secrets",
    retryPolicy: defaultRetryPolicy,
    maxConcurrency: 50,
    rateLimit: null,
    paused: false,
    ...change,
  };
}

export async function makeTarget(
  store: Store,
  targetId: string,
  change: Partial<NewTarget> = {},
): Promise<Target> {
  const target = await store.createTarget(newTarget(targetId, change), note());
  if (typeof target === "string") throw new Error(`target ${targetId}: ${target}`);
  return target;
}

export async function schedule(
  store: Store,
  targetId: string,
  deliveryTime: WantedTime,
  change: Partial<ScheduleRequest> = {},
) {
  const [result] = await store.scheduleMessages([
    {
      accountId: account,
      targetId,
      deliveryTime,
      payload: "hello",
      options: null,
      idempotency: null,
      ...change,
    },
  ]);
  if (result?.kind !== "scheduled" && result?.kind !== "repeated") {
    throw new Error(`not scheduled: ${result?.kind}`);
  }
  return result.message;
}

/** Messages for the far future, in one call. */
export async function scheduleMany(store: Store, targetId: string, count: number) {
  const request = {
    ...{ accountId: account, targetId, deliveryTime: farFuture, payload: "hello" },
    ...{ options: null, idempotency: null },
  };
  const results = await store.scheduleMessages(Array.from({ length: count }, () => request));
  return results.map((result) => {
    if (result.kind !== "scheduled") throw new Error(`not scheduled: ${result.kind}`);
    return result.message;
  });
}

/** The entries of the audit log, newest first. */
export function entriesOf(store: Store, accountId: string | null = account): Promise<AuditEntry[]> {
  const all = { minTime: null, maxTime: null, after: null, limit: 1_000 };
  return store.listAuditEntries({ accountId, ...all });
}

export function newClient(clientId: string, change: Partial<NewClient> = {}): NewClient {
  return {
    accountId: account,
    clientId,
    name: "a client",
    scopes: ["scheduler.messages.read"],
    secretHash: "hash 1",
    ...change,
  };
}

export const past = 1_000;
export const farFuture = Date.UTC(9000, 0, 1);

export function refTo(message: { readonly messageId: string }) {
  return { accountId: account, messageId: message.messageId };
}

export function attemptAt(claim: Claim, outcome: AttemptOutcome = "DELIVERED"): Attempt {
  return {
    number: claim.attemptNumber,
    startTime: claim.dueAt + 5,
    endTime: claim.dueAt + 9,
    outcome,
    statusCode: outcome === "DELIVERED" ? 204 : null,
    error: outcome === "DELIVERED" ? null : "it went wrong",
    response: null,
  };
}

/** The retry policy allows no further attempt. */
export const exhausted = { kind: "dead-letter", reason: "ATTEMPTS_EXHAUSTED" } as const;

export function resultOf(claim: Claim, next: NextStep): AttemptResult {
  return {
    messageId: claim.messageId,
    version: claim.version,
    attempt: attemptAt(claim, next.kind === "delivered" ? "DELIVERED" : "TIMEOUT"),
    next,
  };
}

/** Makes fifteen calls at a time: a thousand at once would miss their deadline. */
export async function inWaves<Made>(
  count: number,
  make: (index: number) => Promise<Made>,
): Promise<Made[]> {
  const made: Made[] = [];
  while (made.length < count) {
    const wave = Math.min(15, count - made.length);
    const first = made.length;
    made.push(...(await Promise.all(Array.from({ length: wave }, (_, at) => make(first + at)))));
  }
  return made;
}
