import { codePointCount, payloadFault, payloadLimit } from "../../domain/payload.ts";
import { codes } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import { targetIdPattern } from "../../domain/target.ts";
import type { ScheduleRequest, Store } from "../../storage/store.ts";
import type { SecretBox } from "../../platform/secret-box.ts";
import { optionsText, readOptions } from "./given-options.ts";
import type { GivenOptions } from "./given-options.ts";
import { idempotencyOf } from "./idempotency.ts";
import { readTime, readWantedKey } from "./given-key.ts";

/**
 * A message that a caller wants to schedule. A field that failed its schema is undefined, and `problems`
 * says why. The operation still checks the other fields, so that one answer lists all problems.
 */
export interface MessageDraft {
  readonly targetId: string | undefined;
  readonly deliveryTime: string | undefined;
  /** Instead of `deliveryTime`. */
  readonly delayMs?: number | undefined;
  readonly payload: string | undefined;
  /** Undefined: none is given. */
  readonly options?: GivenOptions | undefined;
  /** The trace that the call belongs to. It is not part of what the caller asks for. */
  readonly traceParent?: string | null;
  readonly problems: readonly Problem[];
}

/** A message of a batch, which may have a key of its own. */
export interface BatchDraft extends MessageDraft {
  readonly idempotencyKey?: string | undefined;
}

export type CheckedDraft =
  | { readonly ok: true; readonly request: ScheduleRequest }
  | { readonly ok: false; readonly problems: Problem[] };

export interface DraftOwner {
  readonly accountId: string;
  readonly idempotencyKey: string | undefined;
  readonly secretBox: SecretBox;
}

/** Makes all checks that need no store. */
export function checkDraft(draft: MessageDraft, owner: DraftOwner): CheckedDraft {
  const problems = [...draft.problems];
  const { targetId, payload } = draft;
  const { accountId, idempotencyKey: key, secretBox } = owner;
  const deliveryTime = readTime(draft, problems);
  const wantedKey = draft.options && readWantedKey(draft.options, problems);
  const asked =
    draft.options === undefined
      ? null
      : readOptions(draft.options, deliveryTime, { problems, secretBox });
  const { traceParent = null } = draft;
  const options = traceParent === null ? asked : { ...asked, traceParent };
  const badPayload = payload === undefined ? undefined : payloadProblem(payload);
  if (badPayload !== undefined) problems.push(badPayload);
  // Some stores cannot search for a malformed id. `targetProblem` reports it.
  const named = targetId !== undefined && targetIdPattern.test(targetId);
  const complete = named && deliveryTime !== undefined && payload !== undefined;
  if (problems.length > 0 || !complete) return { ok: false, problems };
  const fingerprinted = (): string | undefined =>
    draft.options && optionsText(draft.options, secretBox);
  const idempotency =
    key === undefined
      ? null
      : idempotencyOf(key, { targetId, deliveryTime, payload, options: fingerprinted() });
  const request = { accountId, targetId, deliveryTime, payload, options, idempotency };
  return { ok: true, request: wantedKey === undefined ? request : { ...request, wantedKey } };
}

export function payloadProblem(payload: string): Problem | undefined {
  const fault = payloadFault(payload);
  if (fault === undefined) return undefined;
  return fault === "too-long" ? payloadTooLarge(codePointCount(payload)) : loneSurrogate("payload");
}

function payloadTooLarge(count: number): Problem {
  return {
    code: codes.payloadTooLarge,
    message: `The payload has ${count} characters, and may have at most ${payloadLimit}. Shorten it, or schedule a reference to it.`,
    field: "payload",
  };
}

export function loneSurrogate(field: string): Problem {
  return {
    code: codes.invalidRequest,
    message: `${field} contains half of a surrogate pair, which UTF-8 cannot encode. Send well-formed Unicode.`,
    field,
  };
}

export function noSuchTarget(targetId: string): Problem {
  return {
    code: codes.messageTargetNotFound,
    message: `There is no target ${JSON.stringify(targetId.slice(0, 100))}. Create it with POST /v1/targets, or correct targetId.`,
    field: "targetId",
  };
}

export const limitReached: Problem = {
  code: codes.monthlyLimitReached,
  message:
    "This account has scheduled as many messages this month as its limit allows. Wait for the next calendar month (UTC), or ask the operator to raise the limit.",
};

/** Checks the target of a draft that is refused anyway, so that the answer lists this problem too. */
export async function targetProblem(
  store: Pick<Store, "getTarget">,
  accountId: string,
  targetId: string | undefined,
): Promise<Problem | undefined> {
  if (targetId === undefined) return undefined;
  if (targetIdPattern.test(targetId)) {
    if ((await store.getTarget({ accountId, targetId })) !== undefined) return undefined;
  }
  return noSuchTarget(targetId);
}
