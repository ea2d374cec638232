import type { SigningSecrets, TargetSettings } from "../../domain/target.ts";
import type { GivenSettings, TargetKind } from "../target-kind.ts";

/** What the other side of a delivery does. */
export type Behaviour =
  | "accepts"
  | "rejects"
  | "is-not-there"
  | "never-answers"
  | "vanishes"
  | "talks-nonsense"
  | "never-stops-talking"
  /** Says that it has accepted, and does not finish the sentence. */
  | "accepts-and-stalls";

export interface ConformanceReceiver {
  /** What a caller gives to have messages delivered here. */
  readonly given: GivenSettings;
  /** What has arrived so far, in order. */
  received(): readonly { readonly messageId: string; readonly payload: Uint8Array }[];
  /** Resolves once the sender knows whether its next delivery was accepted. */
  outcomeKnown(): Promise<void>;
}

/** What the suite needs of a kind to put it to the test. */
export interface ConformanceSubject<Settings extends TargetSettings = TargetSettings> {
  create(): TargetKind<Settings>;
  /** Starts a receiver that behaves so, and ends with the test. */
  receive(behaviour: Behaviour, timeoutMs: number): Promise<ConformanceReceiver>;
  /** Null where the kind does not sign. */
  readonly secrets: SigningSecrets | null;
  /** Of the settings that are given, what nobody is shown. */
  readonly confidential: GivenSettings;
  readonly badSettings: readonly GivenSettings[];
}
