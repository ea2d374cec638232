/** The range that always fits between the lightest and the darkest: what differs little is to look alike. */
const leastRange = 4;

/**
 * 0 for nothing, then 1 to 4. By the logarithm: a burst must not make everything else look empty. From the lowest on: what
 * is due every hour must not make all hours look alike.
 */
export function heatOf(value: number, lowest: number, highest: number): 0 | 1 | 2 | 3 | 4 {
  if (value <= 0) return 0;
  const range = Math.log(Math.max(highest / lowest, leastRange));
  const share = 1 - Math.log(highest / value) / range;
  return Math.min(4, 1 + Math.floor(share * 4)) as 1 | 2 | 3 | 4;
}
