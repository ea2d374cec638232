import type { Instant } from "../domain/message.ts";
import type { AccessStore } from "./access-store.ts";
import type { AccountStore } from "./account-store.ts";
import type { DeliveryStore } from "./delivery-store.ts";
import type { MessageStore } from "./message-store.ts";
import type { TargetStore } from "./target-store.ts";

export type * from "./access-store.ts";
export type * from "./account-store.ts";
export type * from "./delivery-store.ts";
export type * from "./message-store.ts";
export type * from "./target-store.ts";

/**
 * The port to whatever keeps messages. Its verbs are the domain's, its promises these:
 *
 * - A verb that resolves has happened, durably; one that rejects with `StoreUnavailable` has happened
 *   once or not at all; any other rejection means that nothing happened.
 * - Verbs on one message happen in one order, and every later verb sees the earlier ones.
 * - The store's clock decides every instant: callers hand in delays, and read `now` from answers.
 * - Verbs may be called concurrently and as often as callers like: a store gathers what arrives
 *   together into one commit, and an idle store commits at once.
 * - Rows past their `expirationTime` do not exist, whether or not they have been removed yet.
 */
export interface Store extends MessageStore, DeliveryStore, TargetStore, AccessStore, AccountStore {
  /** The store's clock, as well as this process can tell. The store itself decides what is due. */
  readonly clock: StoreClock;
  /** Null: this process is the only one on the store. */
  readonly sharing: Sharing | null;
  /** Resolves while the store answers, rejects when it does not. */
  ping(): Promise<void>;
  counts(): Promise<StoreCounts>;
  /** A value that was sealed with the encryption key; null where none was kept yet. */
  encryptionCheck(): Promise<string | null>;
  /** Keeps one, unless there is one already; answers with the one that is kept. */
  keepEncryptionCheck(sealed: string): Promise<string>;
  close(): Promise<void>;
}

/** The store cannot be reached, is full, or is overloaded: worth trying again, unlike a bug. */
export class StoreUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StoreUnavailable";
  }
}

export interface StoreClock {
  now(): Instant;
}

/** What a node must do, and may rely on, where others work on the same store. */
export interface Sharing {
  /** A node that has not renewed for so long is dead to the others. */
  readonly leaseMs: number;
  /** For how long a look-up of a credential may be relied on: others may revoke it. */
  readonly credentialMs: number;
}

export interface StoreCounts {
  /** Messages in SCHEDULED. May lag a little on a busy store. */
  readonly pending: number;
}
