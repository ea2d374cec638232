import { messageWeight } from "../../message-weight.ts";
import type { ScheduleRequest } from "../../store.ts";
import type { VerbName } from "../queries/verbs.ts";

/** A batch with as many messages as the API allows is not divided for their number. */
const largestUndivided = 1_000;
const largestPiece = 500;

/** How many messages without a payload cost about as much. */
export function weightOf(verb: VerbName, args: readonly unknown[]): number {
  switch (verb) {
    case "scheduleMessages":
      return weightOfAll(args[0] as readonly ScheduleRequest[]);
    case "recordAttempts":
      return Math.max(1, (args[1] as readonly unknown[]).length);
    case "listScheduledMessages":
    case "listDeadLetters":
    case "listAuditEntries":
    case "listAccounts":
      return (args[0] as { readonly limit: number }).limit;
    case "listTargets":
      return (args[1] as { readonly limit: number }).limit;
    default:
      return 1;
  }
}

/** The account that makes a call. Calls without an account share a name. */
export function ownerOf(args: readonly unknown[]): string {
  const [first] = args;
  const about: unknown = Array.isArray(first) ? first[0] : first;
  if (typeof about === "string") return about;
  const accountId = (about as { readonly accountId?: unknown } | null | undefined)?.accountId;
  return typeof accountId === "string" ? accountId : "";
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

function weightOfAll(requests: readonly ScheduleRequest[]): number {
  let weight = 0;
  for (const request of requests) weight += messageWeight(request);
  return Math.max(1, weight);
}
