import type { Context } from "./context.ts";

/**
 * How long a look or a step may go on. The store does nothing else meanwhile, and a message with many labels
 * and headers takes far longer than a plain one. So jobs look at the clock after each few messages.
 */
const longestMs = 5;

/** How many messages are read, or have their turn, between two looks at the clock. */
export const piece = 20;

/** Begins now. Answers whether it is over. */
export function beginSlice(
  { clock }: Pick<Context, "clock">,
  sliceMs: number = longestMs,
): () => boolean {
  const until = clock.monotonic() + sliceMs;
  return () => clock.monotonic() >= until;
}
