import { codes } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import type { ScheduleRequest, ScheduleResult } from "../../storage/store.ts";
import { tooLate } from "./given-options.ts";
import { limitReached, noSuchTarget } from "./message-draft.ts";

/** A result that the caller gets a message for. */
export type Accepted = Extract<
  ScheduleResult,
  { readonly kind: "scheduled" | "repeated" | "kept" }
>;

/** Why a request was refused. */
export function scheduleProblem(
  result: Exclude<ScheduleResult, Accepted>,
  { request, keyReused, waitedMs }: RefusedRequest,
): Problem {
  if (result.kind === "key-taken") return keyTaken(result.messageId);
  const problems: Record<typeof result.kind, Problem> = {
    "no-target": noSuchTarget(request.targetId),
    "key-reused": keyReused,
    "over-quota": limitReached,
    "too-late": tooLate,
    held: {
      code: codes.attemptInProgress,
      message: `An attempt to deliver the message that has this key is running, and did not end within ${waitedMs} ms. Nothing was changed: try again in a moment.`,
      field: "key",
    },
  };
  return problems[result.kind];
}

interface RefusedRequest {
  readonly request: ScheduleRequest;
  /** Where the idempotency key was given. */
  readonly keyReused: Problem;
  readonly waitedMs: number;
}

export function isAccepted(result: ScheduleResult): result is Accepted {
  return result.kind === "scheduled" || result.kind === "repeated" || result.kind === "kept";
}

export function keyTaken(messageId: string): Problem {
  return {
    code: codes.messageKeyTaken,
    message: `The message ${messageId} has this key and is scheduled. Choose with onConflict what should happen, or wait until it has ended.`,
    field: "key",
  };
}
