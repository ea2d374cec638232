import type { AuditNote } from "../domain/audit.ts";
import type { Target } from "../domain/target.ts";

export interface TargetRef {
  readonly accountId: string;
  readonly targetId: string;
}

export type NewTarget = Omit<
  Target,
  "targetKey" | "failingAfter" | "creationTime" | "updateTime" | "revision"
> & { readonly failingAfter?: Target["failingAfter"] };

export type TargetChange = Partial<
  Pick<
    Target,
    | "sealedSettings"
    | "sealedSecrets"
    | "retryPolicy"
    | "maxConcurrency"
    | "rateLimit"
    | "paused"
    | "failingAfter"
  >
>;

export type UpdateTargetResult =
  | { readonly kind: "updated"; readonly target: Target }
  | { readonly kind: "not-found" }
  /** The target has changed since `revision`, so the caller must read it again. */
  | { readonly kind: "changed-meanwhile" };

export type RemoveTargetResult =
  | { readonly kind: "removed"; readonly target: Target }
  | { readonly kind: "not-found" }
  | { readonly kind: "has-scheduled-messages" }
  /** Recurring schedules make messages for it. */
  | { readonly kind: "has-schedules" };

export type BeginTestResult =
  | { readonly kind: "begun"; readonly test: TargetTest; readonly target: Target }
  | { readonly kind: "no-target" }
  /** The account's messages and tests have used up its monthly limit. */
  | { readonly kind: "over-quota" }
  /** As many attempts are under way, tests included, as the target's concurrency allows. */
  | { readonly kind: "busy" }
  /** The target's rate allows the next attempt after `opensInMs`. */
  | { readonly kind: "over-rate"; readonly opensInMs: number };

/** A test delivery under way. */
export interface TargetTest {
  readonly accountId: string;
  readonly targetKey: number;
  readonly testKey: string;
}

export interface TargetStore {
  /** A removed target may be created again, and gets its old messages back. */
  createTarget(target: NewTarget, note: AuditNote): Promise<Target | "exists" | "no-account">;
  getTarget(ref: TargetRef): Promise<Target | undefined>;
  getTargetByKey(targetKey: number): Promise<Target | undefined>;
  /** By `targetId`, after `after`. */
  listTargets(
    accountId: string,
    page: { readonly after: string | null; readonly limit: number },
  ): Promise<Target[]>;
  /** Applies only to the given revision, unless that is null. */
  updateTarget(
    ref: TargetRef,
    change: TargetChange,
    revision: number | null,
    note: AuditNote,
  ): Promise<UpdateTargetResult>;
  removeTarget(ref: TargetRef, note: AuditNote): Promise<RemoveTargetResult>;
  /**
   * Admits one delivery outside the schedule, also to a paused target. It counts as a message
   * against the account's monthly limit, and as an attempt against the target's concurrency and
   * rate, in one commit. A refusal costs nothing. The node must have joined: the test ends with its
   * membership.
   */
  beginTest(ref: TargetRef): Promise<BeginTestResult>;
  /** Frees the target's concurrency. What the test cost of rate and monthly limit stays spent. */
  endTest(test: TargetTest): Promise<void>;
}
