/** 0 for nothing, then 1 to 4. By the logarithm: a burst must not make everything else look empty. */
export function heatOf(value: number, highest: number): 0 | 1 | 2 | 3 | 4 {
  if (value <= 0) return 0;
  const share = Math.log1p(value) / Math.log1p(Math.max(value, highest));
  return Math.max(1, Math.ceil(share * 4)) as 1 | 2 | 3 | 4;
}
