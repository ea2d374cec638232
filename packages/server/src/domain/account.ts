import type { Instant } from "./message.ts";
import type { RateLimit } from "./rate-limit.ts";

/**
 * Everything belongs to an account.
 *
 *     ACTIVE ⇄ SUSPENDED → removed
 *
 * While an account is suspended, its credentials are refused, its messages are not delivered and its jobs
 * change nothing. Nothing is lost: once it is active again, messages that became due meanwhile are delivered
 * and jobs go on. Only a suspended account can be removed. Its id is never given to another account.
 */
export interface Account {
  readonly accountId: string;
  /** The name that the operator gave it. */
  readonly name: string;
  readonly state: "ACTIVE" | "SUSPENDED";
  /** How many messages it may schedule in a calendar month, UTC; null: no limit. */
  readonly monthlyMessageLimit: number | null;
  /** How many requests it may send; null: no limit. */
  readonly requestLimit: RateLimit | null;
  readonly creationTime: Instant;
  /** Null while it is active. */
  readonly suspensionTime: Instant | null;
}

export const accountIdPattern = /^[A-Za-z0-9_-]{1,64}$/;
