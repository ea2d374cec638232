import type { Instant } from "../domain/message.ts";
import type { AccessStore } from "./access-store.ts";
import type { AccountStore } from "./account-store.ts";
import type { DeliveryStore } from "./delivery-store.ts";
import type { EncryptionStore } from "./encryption-store.ts";
import type { EventStore } from "./event-store.ts";
import type { JobStore } from "./job-store.ts";
import type { MessageStore } from "./message-store.ts";
import type { ScheduleStore } from "./schedule-store.ts";
import type { SessionStore } from "./session-store.ts";
import type { StatsStore } from "./stats-store.ts";
import type { TargetStore } from "./target-store.ts";

export type * from "./access-store.ts";
export type * from "./account-store.ts";
export type * from "./delivery-store.ts";
export type * from "./encryption-store.ts";
export type * from "./event-store.ts";
export type * from "./job-store.ts";
export type * from "./message-store.ts";
export type * from "./schedule-store.ts";
export type * from "./session-store.ts";
export type * from "./stats-store.ts";
export type * from "./target-store.ts";

/**
 * The port to whatever stores messages. Its verbs are the domain's. It promises:
 *
 * - A verb that resolves has happened, durably; one that rejects with `StoreUnavailable` has happened
 *   once or not at all; any other rejection means that nothing happened.
 * - Verbs on one message happen in one order, and every later verb sees the earlier ones.
 * - The store's clock decides every instant: callers hand in delays, and read `now` from answers.
 * - Verbs may be called concurrently and as often as callers like: a store gathers what arrives
 *   together into one commit, and an idle store commits at once.
 * - Rows past their `expirationTime` do not exist, whether or not they have been removed yet.
 */
export interface Store
  extends
    MessageStore,
    JobStore,
    ScheduleStore,
    EventStore,
    DeliveryStore,
    TargetStore,
    StatsStore,
    AccessStore,
    EncryptionStore,
    SessionStore,
    AccountStore {
  /** The store's clock, as exactly as this process knows it. The store decides what is due. */
  readonly clock: StoreClock;
  /** Null: this process is the only one on the store. */
  readonly sharing: Sharing | null;
  /** Resolves if the store answers, rejects if it does not. */
  ping(): Promise<void>;
  counts(): Promise<StoreCounts>;
  /** How many calls wait in this process until the store can begin with them. */
  waitingCalls(): number;
  close(): Promise<void>;
}

/** The store cannot be reached, is full, or is overloaded. Unlike a bug, it is worth a retry. */
export class StoreUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StoreUnavailable";
  }
}

export interface StoreClock {
  now(): Instant;
}

/** What a node must do, and may rely on, when other nodes work on the same store. */
export interface Sharing {
  /** Other nodes treat a node as dead that has not renewed for this long. */
  readonly leaseMs: number;
  /** How long a node may rely on a credential that it looked up: another node may revoke it. */
  readonly credentialMs: number;
}

export interface StoreCounts {
  /** The number of SCHEDULED messages. It may lag a little on a busy store. */
  readonly pending: number;
}
