import type { AuditNote } from "../domain/audit.ts";
import type { Target } from "../domain/target.ts";

export interface TargetRef {
  readonly accountId: string;
  readonly targetId: string;
}

export type NewTarget = Omit<Target, "targetKey" | "creationTime" | "updateTime" | "revision">;

export type TargetChange = Partial<
  Pick<
    Target,
    "sealedSettings" | "sealedSecrets" | "retryPolicy" | "maxConcurrency" | "rateLimit" | "paused"
  >
>;

export type UpdateTargetResult =
  | { readonly kind: "updated"; readonly target: Target }
  | { readonly kind: "not-found" }
  /** Somebody changed it since `revision`: read again. */
  | { readonly kind: "changed-meanwhile" };

export type RemoveTargetResult =
  | { readonly kind: "removed"; readonly target: Target }
  | { readonly kind: "not-found" }
  | { readonly kind: "has-scheduled-messages" };

export interface TargetStore {
  /** A target that was removed may be created again, and finds its old messages. */
  createTarget(target: NewTarget, note: AuditNote): Promise<Target | "exists" | "no-account">;
  getTarget(ref: TargetRef): Promise<Target | undefined>;
  getTargetByKey(targetKey: number): Promise<Target | undefined>;
  /** By `targetId`, beginning behind `after`. */
  listTargets(
    accountId: string,
    page: { readonly after: string | null; readonly limit: number },
  ): Promise<Target[]>;
  /** Applied only to the revision given, unless that is null. */
  updateTarget(
    ref: TargetRef,
    change: TargetChange,
    revision: number | null,
    note: AuditNote,
  ): Promise<UpdateTargetResult>;
  removeTarget(ref: TargetRef, note: AuditNote): Promise<RemoveTargetResult>;
}
