import type { Instant } from "./instant.ts";

/**
 * The place of a time between edges in ascending order: `edges[place] <= time < edges[place + 1]`. -1 before
 * the first edge.
 */
export function placeBetween(edges: readonly Instant[], time: Instant): number {
  let low = 0;
  let high = edges.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (edges[middle]! <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
