import type { Instant } from "./message.ts";
import type { RateLimit } from "./rate-limit.ts";

/**
 * Everything belongs to an account.
 *
 *     ACTIVE ⇄ SUSPENDED → removed
 *
 * While it is suspended its credentials open nothing and nothing is delivered for it; nothing is lost
 * either, and what became due meanwhile is delivered once it is active again. Only a suspended account
 * can be removed. Its id is never given to another.
 */
export interface Account {
  readonly accountId: string;
  /** What the operator calls it. */
  readonly name: string;
  readonly state: "ACTIVE" | "SUSPENDED";
  /** How many messages it may schedule in a calendar month, UTC; null: as many as it likes. */
  readonly monthlyMessageLimit: number | null;
  /** How many requests it may send; null: as many as it likes. */
  readonly requestLimit: RateLimit | null;
  readonly creationTime: Instant;
  /** Null while it is active. */
  readonly suspensionTime: Instant | null;
}

export const accountIdPattern = /^[A-Za-z0-9_-]{1,64}$/;
