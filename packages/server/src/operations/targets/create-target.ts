import type { Caller } from "../../domain/access.ts";
import type { FailingAfter } from "../../domain/failing-after.ts";
import type { RateLimit } from "../../domain/rate-limit.ts";
import type { Problem } from "../../domain/refusals.ts";
import { codes, RequestRefused } from "../../domain/refusals.ts";
import {
  generatedKeyLength,
  signingSecretFault,
  signingSecretOf,
} from "../../domain/signing-secret.ts";
import { defaultMaxConcurrency, targetIdPattern } from "../../domain/target.ts";
import type { TargetKindName } from "../../domain/target.ts";
import { encodeBase32 } from "../../platform/base32.ts";
import type { Random } from "../../platform/random.ts";
import type { Store } from "../../storage/store.ts";
import { sealSecrets, sealSettings } from "../../targets/sealed-target.ts";
import type { TargetKind, TargetKinds } from "../../targets/target-kind.ts";
import { accountGone } from "../access/account-gone.ts";
import { auditNote } from "../audit/audit-note.ts";
import {
  completeRetryPolicy,
  retryPolicyProblem,
} from "../retry-policies/complete-retry-policy.ts";
import type { GivenRetryPolicy } from "../retry-policies/complete-retry-policy.ts";
import type { DeliveryControl } from "../delivery/delivery-control.ts";
import { viewTarget } from "./target-view.ts";
import type { TargetWithSecret, ViewTargetOptions } from "./target-view.ts";

export interface CreateTargetOptions extends ViewTargetOptions {
  readonly store: Pick<Store, "createTarget">;
  readonly delivery: Pick<DeliveryControl, "targetChanged">;
  readonly random: Random;
}

/** A target as the caller gives it. The settings of its kind are among the other fields. */
export interface GivenTarget {
  readonly targetId?: string | undefined;
  readonly kind?: TargetKindName | undefined;
  readonly retryPolicy?: GivenRetryPolicy | undefined;
  readonly maxConcurrency?: number | undefined;
  readonly rateLimit?: RateLimit | null | undefined;
  readonly paused?: boolean | undefined;
  readonly failingAfter?: FailingAfter | undefined;
  readonly secret?: string | undefined;
  readonly [setting: string]: unknown;
}

export async function createTarget(
  options: CreateTargetOptions,
  caller: Caller,
  given: GivenTarget,
  formProblems: readonly Problem[] = [],
): Promise<TargetWithSecret> {
  const { store, delivery, secretBox, targetKinds, random } = options;
  const { targetId: givenId, kind: kindName, retryPolicy: givenPolicy, ...others } = given;
  const { maxConcurrency, rateLimit, paused, failingAfter, ...furtherFields } = others;
  const { secret: givenSecret, ...givenSettings } = furtherFields;
  const kind = kindName === undefined ? targetKinds.byDefault : targetKinds.find(kindName);
  if (kind === undefined) throw new RequestRefused(...formProblems, unknownKind(targetKinds));
  const retryPolicy = completeRetryPolicy(givenPolicy);
  const targetId = givenId ?? `tgt_${encodeBase32(random.bytes(13)).slice(-20)}`;
  const secret = kind.signs
    ? (givenSecret ?? signingSecretOf(random.bytes(generatedKeyLength)))
    : null;
  const { settings, problems } = await kind.complete(givenSettings, caller.accountId);
  const found = addProblems(formProblems, [
    targetIdPattern.test(targetId) ? undefined : badTargetId,
    secret === null ? unusedSecretProblem(kind, givenSecret) : secretProblem(secret),
    retryPolicyProblem(retryPolicy),
    ...problems,
  ]);
  if (found.length > 0) throw new RequestRefused(...found);

  const { accountId } = caller;
  const note = auditNote(random, caller, {
    action: "target.created",
    accountId,
    subjectId: targetId,
  });
  const target = {
    accountId,
    targetId,
    kind: kind.kind,
    sealedSettings: sealSettings(secretBox, settings),
    sealedSecrets: sealSecrets(
      secretBox,
      secret === null ? null : { current: secret, previous: null, previousUntil: null },
    ),
    retryPolicy,
    maxConcurrency: maxConcurrency ?? defaultMaxConcurrency,
    rateLimit: rateLimit ?? null,
    paused: paused ?? false,
    failingAfter: failingAfter ?? null,
  };
  const created = await store.createTarget(target, note);
  if (created === "no-account") throw new RequestRefused(accountGone);
  if (created === "exists") {
    throw new RequestRefused({
      code: codes.targetExists,
      message: `The target "${targetId}" exists already. Change it with PATCH, or choose another targetId.`,
      field: "targetId",
    });
  }
  delivery.targetChanged(created.accountId, created.targetKey);
  return { ...viewTarget(options, created), secret };
}

/**
 * Leaves out further problems of a field whose form is wrong. That field has a substitute value or none
 * here, so a check of it says nothing about what the caller sent.
 */
export function addProblems(
  formProblems: readonly Problem[],
  found: readonly (Problem | undefined)[],
): Problem[] {
  const faulty = new Set(formProblems.map(({ field }) => field));
  const others = found.filter((problem) => problem !== undefined && !faulty.has(problem.field));
  return [...formProblems, ...(others as Problem[])];
}

const badTargetId: Problem = {
  code: codes.invalidRequest,
  message: "targetId must be 1 to 64 letters, digits, _ and -.",
  field: "targetId",
};

function unknownKind({ all }: TargetKinds): Problem {
  const names = all.map(({ kind }) => JSON.stringify(kind)).join(", ");
  return { code: codes.invalidRequest, message: `kind must be one of ${names}.`, field: "kind" };
}

function unusedSecretProblem(
  { kind }: TargetKind,
  secret: string | undefined,
): Problem | undefined {
  if (secret === undefined) return undefined;
  const message = `Leave the secret out: targets of kind ${kind} are not signed.`;
  return { code: codes.invalidRequest, message, field: "secret" };
}

export function secretProblem(secret: string): Problem | undefined {
  const fault = signingSecretFault(secret);
  if (fault === undefined) return undefined;
  return {
    code: codes.invalidRequest,
    message: `secret cannot be used: ${fault}.`,
    field: "secret",
  };
}
