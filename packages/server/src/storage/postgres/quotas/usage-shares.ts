/**
 * An account's allowance for a month, split into shares. Each share may be used up to its grant,
 * and all grants together are exactly the limit. A call that holds one share may use it up without
 * the others. A call that holds all of them may distribute what is left again.
 */
export interface UsageShare {
  readonly share: number;
  readonly used: number;
  /** Null: no limit. */
  readonly granted: number | null;
}

/** More than the number of batches that one account has under way at a time. */
const mostShares = 64;
/** A smaller grant would hold no batch, and every batch would go through `scheduleNearLimit`. */
const leastGrant = 100;

export interface Admission {
  readonly admitted: number;
  readonly shares: readonly UsageShare[];
}

/**
 * Admits as many messages as the limit leaves. Adds one share, because the existing ones did not
 * suffice, but not before the last added share has been used.
 */
export function admit(
  shares: readonly UsageShare[],
  limit: number | null,
  count: number,
): Admission {
  const left = leftOf(shares, limit);
  const admitted = Math.min(count, left);
  const [first = { share: 0, used: 0, granted: 0 }, ...others] = shares;
  const counted = [{ ...first, used: first.used + admitted }, ...others];
  const useful = Math.min(mostShares, Math.ceil((left - admitted) / leastGrant));
  if (shares.length > 0 && shares.length < useful && shares.at(-1)!.used > 0) {
    counted.push({ share: counted.length, used: 0, granted: 0 });
  }
  return { admitted, shares: spread(counted, limit) };
}

/** Distributes what the limit leaves: equal grants to as many shares as it suffices for. */
export function spread(shares: readonly UsageShare[], limit: number | null): UsageShare[] {
  if (limit === null) return shares.map((share) => ({ ...share, granted: null }));
  const left = leftOf(shares, limit);
  const receiving = Math.max(1, Math.min(shares.length, Math.ceil(left / leastGrant)));
  const part = Math.floor(left / receiving);
  const over = left % receiving;
  return shares.map((share, index) => {
    const grant = index < receiving ? part + Number(index < over) : 0;
    return { ...share, granted: share.used + grant };
  });
}

function leftOf(shares: readonly UsageShare[], limit: number | null): number {
  if (limit === null) return Infinity;
  return Math.max(0, limit - shares.reduce((sum, { used }) => sum + used, 0));
}
