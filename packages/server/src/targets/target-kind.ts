import type { AttemptReport } from "../domain/attempt.ts";
import type { Instant } from "../domain/message.ts";
import type { Problem } from "../domain/refusals.ts";
import type { SigningSecrets, TargetKindName, TargetSettings } from "../domain/target.ts";

/** One message on its way to a target. */
export interface Delivery<Kind extends TargetKindName = TargetKindName> {
  /** What all accounts share is shared out by this. */
  readonly accountId: string;
  readonly messageId: string;
  readonly targetId: string;
  readonly settings: TargetSettings[Kind];
  readonly secrets: SigningSecrets;
  /** UTF-8, exactly as it was handed in. */
  readonly payload: Uint8Array;
  readonly attemptNumber: number;
  readonly originalDeliveryTime: Instant;
  /** When the attempt starts, by the store's clock. */
  readonly startTime: Instant;
  /** Aborts when a stopping server can wait no longer. */
  readonly signal: AbortSignal;
}

/**
 * The port to whatever receives messages. A failed delivery is a report, never an exception: whatever
 * the other side does, `deliver` resolves, and within the target's timeout plus a small margin.
 */
export interface TargetKind<Kind extends TargetKindName = TargetKindName> {
  readonly kind: Kind;
  /** Everything that is wrong with the settings, before they are kept. Empty: they are fine. */
  check(settings: TargetSettings[Kind], accountId: string): Promise<readonly Problem[]>;
  deliver(delivery: Delivery<Kind>): Promise<AttemptReport>;
  close(): Promise<void>;
}

export type TargetKinds = { readonly [Kind in TargetKindName]: TargetKind<Kind> };
