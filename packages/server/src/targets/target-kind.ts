import type { AttemptReport, FailureClasses } from "../domain/attempt.ts";
import type { Instant } from "../domain/message.ts";
import type { Problem } from "../domain/refusals.ts";
import type { SigningSecrets, TargetKindName, TargetSettings } from "../domain/target.ts";

/** One message on its way to a target. */
export interface Delivery<Settings extends TargetSettings = TargetSettings> {
  /** What all accounts share is shared out by this. */
  readonly accountId: string;
  readonly messageId: string;
  readonly targetId: string;
  readonly settings: Settings;
  /** Null where the kind does not sign. */
  readonly secrets: SigningSecrets | null;
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
 * Settings as a caller gives them. The kind's schema has checked the form of each field that is there; a
 * required field may be missing, and a field of another kind may be there. Undefined: not given. Null, in
 * a change: back to the default.
 */
export type GivenSettings = Readonly<Record<string, unknown>>;

export interface CheckedSettings<Settings extends TargetSettings = TargetSettings> {
  /** JSON, so that they can be sealed. Kept only where there are no problems. */
  readonly settings: Settings;
  readonly problems: readonly Problem[];
}

/**
 * The port to whatever receives messages: a kind of target, with all that is peculiar to it. A failed
 * delivery is a report, never an exception: whatever the other side does, `deliver` resolves, and within
 * the target's timeout plus a small margin.
 */
export interface TargetKind<Settings extends TargetSettings = TargetSettings> {
  readonly kind: TargetKindName;
  /** Whether attempts are signed. Only then has a target a signing secret. */
  readonly signs: boolean;
  /** Every failure that `deliver` reports, and what follows from it. */
  readonly failures: FailureClasses;
  /** The settings of a new target: what is given, the rest by default, and all that is wrong with it. */
  complete(given: GivenSettings, accountId: string): Promise<CheckedSettings<Settings>>;
  /** The settings of a target that is changed: what is given, the rest as it was. */
  merge(
    kept: Settings,
    change: GivenSettings,
    accountId: string,
  ): Promise<CheckedSettings<Settings>>;
  /** What of the settings callers may see. `merge` takes it, and keeps what it does not show. */
  view(settings: Settings): TargetSettings;
  deliver(delivery: Delivery<Settings>): Promise<AttemptReport>;
  close(): Promise<void>;
}

/** The kinds that a server has. */
export interface TargetKinds {
  readonly all: readonly TargetKind[];
  /** The kind of a target whose kind is not given. */
  readonly byDefault: TargetKind;
  /** Undefined for a kind that this server does not have. */
  find(name: TargetKindName): TargetKind | undefined;
  /** Throws for a kind that this server does not have: another node may be newer. */
  get(name: TargetKindName): TargetKind;
  close(): Promise<void>;
}

/** The first one is the kind by default. */
export function joinKinds(first: TargetKind, ...others: readonly TargetKind[]): TargetKinds {
  const all = [first, ...others];
  const byName = new Map(all.map((each) => [each.kind, each]));
  return {
    all,
    byDefault: first,
    find: (name) => byName.get(name),
    get(name) {
      const kind = byName.get(name);
      if (kind === undefined) throw new Error(`this server has no target kind "${name}"`);
      return kind;
    },
    async close() {
      await Promise.all(all.map((each) => each.close()));
    },
  };
}
