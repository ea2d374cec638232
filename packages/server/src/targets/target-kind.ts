import type { AttemptReport, FailureClasses } from "../domain/attempt.ts";
import type { MadeBySchedule } from "../domain/message-options.ts";
import type { Instant } from "../domain/message.ts";
import type { Problem } from "../domain/refusals.ts";
import type { Headers } from "./header-rules.ts";
import type { SigningSecrets, TargetKindName, TargetSettings } from "../domain/target.ts";

/** What one message sets instead of its target's settings. Each kind uses what it can carry. */
export interface Overrides {
  readonly headers: Headers | undefined;
  readonly contentType: string | undefined;
  readonly timeoutMs: number | undefined;
}

/** One message on its way to a target. */
export interface Delivery<Settings extends TargetSettings = TargetSettings> {
  /** Accounts share resources fairly, by this id. */
  readonly accountId: string;
  readonly messageId: string;
  readonly targetId: string;
  readonly settings: Settings;
  /** Null: the target's settings apply as they are. */
  readonly overrides: Overrides | null;
  /** Null if the kind does not sign. */
  readonly secrets: SigningSecrets | null;
  /** UTF-8, exactly as the caller sent it. */
  readonly payload: Uint8Array;
  readonly attemptNumber: number;
  readonly originalDeliveryTime: Instant;
  /** Null unless a recurring schedule has made the message. */
  readonly schedule: MadeBySchedule | null;
  /** When the attempt starts, by the store's clock. */
  readonly startTime: Instant;
  /** Names the attempt in a trace, as the header `traceparent` does. Null: it is in none. */
  readonly traceParent: string | null;
  /** Aborts when a stopping server cannot wait any longer. */
  readonly signal: AbortSignal;
}

/**
 * Settings as a caller gives them. The kind's schema has checked the form of each field that is present. A
 * required field may be missing, and a field of another kind may be present. Undefined means not given.
 * Null, in a change, resets the field to its default.
 */
export type GivenSettings = Readonly<Record<string, unknown>>;

export interface CheckedSettings<Settings extends TargetSettings = TargetSettings> {
  /** JSON, so that the service can seal them. Stored only if there are no problems. */
  readonly settings: Settings;
  readonly problems: readonly Problem[];
}

/**
 * The port to anything that receives messages: one kind of target, with everything that is specific to it.
 * A failed delivery is a report, never an exception. Whatever the receiver does, `deliver` resolves within
 * the target's timeout plus a small margin.
 */
export interface TargetKind<Settings extends TargetSettings = TargetSettings> {
  readonly kind: TargetKindName;
  /** Whether the kind signs attempts. Only then does a target have a signing secret. */
  readonly signs: boolean;
  /** Every failure that `deliver` reports, and whether a retry can help. */
  readonly failures: FailureClasses;
  /** The settings of a new target: the given ones, defaults for the rest, and all problems with them. */
  complete(given: GivenSettings, accountId: string): Promise<CheckedSettings<Settings>>;
  /** The settings of a changed target: the given ones, and the rest as they were. */
  merge(
    kept: Settings,
    change: GivenSettings,
    accountId: string,
  ): Promise<CheckedSettings<Settings>>;
  /** The settings that callers may see. `merge` accepts them back and keeps what they hide. */
  view(settings: Settings): TargetSettings;
  deliver(delivery: Delivery<Settings>): Promise<AttemptReport>;
  close(): Promise<void>;
}

/** The kinds that this server knows. */
export interface TargetKinds {
  readonly all: readonly TargetKind[];
  /** The kind of a target if the caller names none. */
  readonly byDefault: TargetKind;
  /** Undefined for a kind that this server does not know. */
  find(name: TargetKindName): TargetKind | undefined;
  /** Throws for a kind that this server does not know. A newer node may have stored it. */
  get(name: TargetKindName): TargetKind;
  close(): Promise<void>;
}

/** The first kind is the default. */
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
