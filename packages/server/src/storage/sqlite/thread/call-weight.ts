import { messageWeight } from "../../message-weight.ts";
import type { ScheduleRequest } from "../../store.ts";
import { verbWeights } from "./verb-weights.ts";
import type { VerbName } from "./verbs.ts";

/** A batch with as many messages as the API allows is not divided for their number. */
const largestUndivided = 1_000;
const largestPiece = 500;

/** How many messages without a payload cost about as much. */
export function weightOf(verb: VerbName, args: readonly unknown[]): number {
  const weight = verbWeights[verb];
  if (typeof weight === "number") return weight;
  return (weight as (...args: readonly unknown[]) => number)(...args);
}

/** The account that makes a call. Calls without an account share a name. */
export function ownerOf(verb: VerbName, args: readonly unknown[]): string {
  // It is about many accounts, and none of them has asked for it.
  if (verb === "addActivity" || verb === "logSpans") return "";
  const [first] = args;
  const about: unknown = Array.isArray(first) ? first[0] : first;
  if (typeof about === "string") return about;
  const { accountId, order } = (about ?? {}) as {
    readonly accountId?: unknown;
    readonly order?: { readonly accountId?: unknown };
  };
  const owner = accountId ?? order?.accountId;
  return typeof owner === "string" ? owner : "";
}

/**
 * A large batch of messages, split into parts that need not share a commit, because each message
 * stands alone. Undefined if it is not large enough.
 */
export function piecesOf(
  verb: VerbName,
  args: readonly unknown[],
  weight: number,
): ScheduleRequest[][] | undefined {
  if (weight <= largestUndivided || verb !== "scheduleMessages") return undefined;
  const pieces: ScheduleRequest[][] = [];
  let left = 0;
  for (const request of args[0] as readonly ScheduleRequest[]) {
    const own = messageWeight(request);
    if (own > left) {
      pieces.push([]);
      left = largestPiece;
    }
    pieces.at(-1)!.push(request);
    left -= own;
  }
  return pieces;
}
