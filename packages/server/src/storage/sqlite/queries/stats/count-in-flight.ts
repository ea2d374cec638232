import type { Context } from "../context.ts";

/** Claims are in the memory of the one process that owns the store. */
export function countInFlight({ claims }: Context) {
  return (targetKeys: readonly number[]): number[] =>
    targetKeys.map((targetKey) => claims.countOf(targetKey));
}
