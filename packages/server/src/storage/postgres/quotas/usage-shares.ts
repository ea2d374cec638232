/**
 * An account's allowance for a month, split into shares: each may be used up to what it was granted, and
 * all grants together come to the limit exactly. Whoever holds one share may use it up without asking
 * the others; whoever holds all of them may spread what is left anew.
 */
export interface UsageShare {
  readonly share: number;
  readonly used: number;
  /** Null: without limit. */
  readonly granted: number | null;
}

/** More than there are batches of one account under way at a time. */
const mostShares = 64;
/** A smaller grant would hold no batch, and send every one of them the long way round. */
const leastGrant = 100;

export interface Admission {
  readonly admitted: number;
  readonly shares: readonly UsageShare[];
}

/**
 * Admits as many as the limit leaves. One share is added, since those there were did not do; but not
 * while the one that was added last has not been used.
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

/** Grants the shares what is left under the limit, the same to each of as many as it is enough for. */
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
