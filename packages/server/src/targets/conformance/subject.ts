import type { SigningSecrets, TargetSettings } from "../../domain/target.ts";
import type { GivenSettings, TargetKind } from "../target-kind.ts";

/** What the receiving side of a delivery does. */
export type Behaviour =
  | "accepts"
  | "rejects"
  | "is-not-there"
  | "never-answers"
  | "vanishes"
  | "talks-nonsense"
  | "never-stops-talking"
  /** Reports that it has accepted, then never finishes its answer. */
  | "accepts-and-stalls";

export interface ConformanceReceiver {
  /** The settings with which a caller has messages delivered to this receiver. */
  readonly given: GivenSettings;
  /** What has arrived so far, in order of arrival. */
  received(): readonly { readonly messageId: string; readonly payload: Uint8Array }[];
  /** Resolves once the sender knows whether its next delivery was accepted. */
  outcomeKnown(): Promise<void>;
}

/** What the suite needs from a kind to test it. */
export interface ConformanceSubject<Settings extends TargetSettings = TargetSettings> {
  create(): TargetKind<Settings>;
  /** Starts a receiver with this behaviour. It ends with the test. */
  receive(behaviour: Behaviour, timeoutMs: number): Promise<ConformanceReceiver>;
  /** Null if the kind does not sign. */
  readonly secrets: SigningSecrets | null;
  /** The given settings that the service shows to nobody. */
  readonly confidential: GivenSettings;
  readonly badSettings: readonly GivenSettings[];
}
