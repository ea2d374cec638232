import type { Instant } from "./instant.ts";

/** Where sealed values are, one column each. Values are copied from schedules to messages, so messages come last. */
export const sealedPlaces = [
  "targetSettings",
  "targetSecrets",
  "endpointSettings",
  "endpointSecrets",
  "signingKeys",
  "schedules",
  "messages",
] as const;

export type SealedPlace = (typeof sealedPlaces)[number];

/** The exchange of the encryption key: every value that another key seals is sealed anew, place by place. */
export interface KeyRotation {
  /** The key that is to seal everything. */
  readonly keyId: string;
  readonly startTime: Instant;
  /** Null: it is under way. */
  readonly endTime: Instant | null;
  /** How many values were sealed anew so far. */
  readonly rewritten: number;
  /** How far the present pass over all places is. */
  readonly place: SealedPlace;
  readonly after: string | null;
  readonly passTime: Instant;
  /** How many values of other keys this pass has met, and how many of them no key at hand opens. */
  readonly met: number;
  readonly unreadable: number;
  /** Since when nothing was found that another key seals, and no node was seen that seals with another key. */
  readonly settledTime: Instant;
  /** Whether a node has been seen that seals with another key, and none has looked since whether it is gone. */
  readonly isUnsettled: boolean;
  /** The node that works on it, and until when no other one may. */
  readonly holder: string | null;
  readonly leaseUntil: Instant;
}

export function beginRotation(keyId: string, now: Instant): KeyRotation {
  return {
    keyId,
    startTime: now,
    endTime: null,
    rewritten: 0,
    ...freshPass(now),
    settledTime: now,
    isUnsettled: false,
    holder: null,
    leaseUntil: now,
  };
}

/**
 * Another pass from the first place. A change that began before may have kept a value of another key behind the pass
 * before, so only a pass that began long enough after the last such value shows that there is none.
 */
export function freshPass(
  now: Instant,
): Pick<KeyRotation, "place" | "after" | "passTime" | "met" | "unreadable"> {
  return { place: sealedPlaces[0], after: null, passTime: now, met: 0, unreadable: 0 };
}

export function placeAfter(place: SealedPlace): SealedPlace | undefined {
  return sealedPlaces[sealedPlaces.indexOf(place) + 1];
}

/** Whether a pass that has just ended shows that no other key seals anything. */
export function showsNothingLeft(
  { met, passTime, settledTime, isUnsettled }: KeyRotation,
  settleMs: number,
): boolean {
  return met === 0 && !isUnsettled && passTime >= settledTime + settleMs;
}

/** A node begins to seal with this key. Undefined: that concerns no exchange under way. */
export function unsettledBy(
  rotation: KeyRotation | null,
  keyId: string,
  now: Instant,
): KeyRotation | undefined {
  if (rotation === null || rotation.endTime !== null || rotation.keyId === keyId) return undefined;
  return { ...rotation, settledTime: now, isUnsettled: true };
}
