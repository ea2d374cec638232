import type { Instant } from "./message.ts";

/**
 * The keys that sign access tokens, one after the other.
 *
 *     UPCOMING → SIGNING → PREVIOUS → retired
 *
 * A key is published before it signs, so that services that cache the published keys have it in time. It
 * stays published until the last token that it signed has expired. Exactly one key signs at any time: the
 * newest that has been published for long enough, or the oldest if none has.
 */
export interface DatedKey {
  readonly keyId: string;
  readonly creationTime: Instant;
}

export type SigningKeyState = "UPCOMING" | "SIGNING" | "PREVIOUS";

export interface SigningKeyTimes {
  readonly tokenLifetimeMs: number;
  /** The age of the newest key at which another is due. */
  readonly rotationMs: number;
}

export interface SigningKeyPlan<Key extends DatedKey> {
  /** The oldest first. */
  readonly keys: readonly Key[];
  /** Undefined only if there is no key at all. */
  readonly signer: Key | undefined;
  readonly newKeyDue: boolean;
  /** No unexpired token was signed with these. */
  readonly retired: readonly Key[];
}

/** How long a key is published before it signs. Others may cache published keys for less than that. */
export const signingKeyLeadMs = 5 * 60_000;

/** Some nodes learn a little later than others which key signs. */
const retirementMarginMs = 60_000;

export function planSigningKeys<Key extends DatedKey>(
  given: readonly Key[],
  now: Instant,
  { tokenLifetimeMs, rotationMs }: SigningKeyTimes,
): SigningKeyPlan<Key> {
  const keys = given.toSorted(byAge);
  const newest = keys.at(-1);
  const signer = keys.findLast((key) => signsFrom(key) <= now) ?? keys[0];
  const overtaken = keys.findLastIndex(
    (key) => signsFrom(key) + tokenLifetimeMs + retirementMarginMs <= now,
  );
  return {
    keys,
    signer,
    newKeyDue: newest === undefined || newest.creationTime + rotationMs <= now,
    retired: keys.slice(0, Math.max(0, overtaken)),
  };
}

export function stateOfKey<Key extends DatedKey>(
  key: Key,
  { keys, signer }: Pick<SigningKeyPlan<Key>, "keys" | "signer">,
): SigningKeyState {
  if (key === signer) return "SIGNING";
  return keys.indexOf(key) < keys.indexOf(signer!) ? "PREVIOUS" : "UPCOMING";
}

function signsFrom({ creationTime }: DatedKey): Instant {
  return creationTime + signingKeyLeadMs;
}

function byAge(one: DatedKey, other: DatedKey): number {
  return one.creationTime - other.creationTime || (one.keyId < other.keyId ? -1 : 1);
}
