import type { Caller } from "../../domain/access.ts";
import type { RateLimit } from "../../domain/rate-limit.ts";
import type { Problem } from "../../domain/refusals.ts";
import { codes, RequestRefused } from "../../domain/refusals.ts";
import {
  generatedKeyLength,
  signingSecretFault,
  signingSecretOf,
} from "../../domain/signing-secret.ts";
import {
  defaultContentType,
  defaultMaxConcurrency,
  defaultTimeoutMs,
  targetIdPattern,
} from "../../domain/target.ts";
import type { TargetKindName } from "../../domain/target.ts";
import { encodeBase32 } from "../../platform/base32.ts";
import type { Random } from "../../platform/random.ts";
import type { SecretBox } from "../../platform/secret-box.ts";
import type { Store } from "../../storage/store.ts";
import { sealSecrets, sealSettings } from "../../targets/sealed-target.ts";
import type { TargetKinds } from "../../targets/target-kind.ts";
import { accountGone } from "../accounts/account-gone.ts";
import { auditNote } from "../audit/audit-note.ts";
import { completeRetryPolicy, retryPolicyProblem } from "./complete-retry-policy.ts";
import type { GivenRetryPolicy } from "./complete-retry-policy.ts";
import type { DeliveryControl } from "./delivery-control.ts";
import { fillHeaderValues } from "./header-values.ts";
import { viewTarget } from "./target-view.ts";
import type { TargetWithSecret } from "./target-view.ts";

export interface CreateTargetOptions {
  readonly store: Pick<Store, "createTarget">;
  readonly delivery: Pick<DeliveryControl, "targetChanged">;
  readonly secretBox: SecretBox;
  readonly targetKinds: TargetKinds;
  readonly random: Random;
}

export interface GivenTarget {
  readonly targetId?: string | undefined;
  readonly kind?: TargetKindName | undefined;
  readonly url?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly contentType?: string | undefined;
  readonly timeoutMs?: number | undefined;
  readonly retryPolicy?: GivenRetryPolicy | undefined;
  readonly maxConcurrency?: number | undefined;
  readonly rateLimit?: RateLimit | null | undefined;
  readonly paused?: boolean | undefined;
  readonly secret?: string | undefined;
}

export async function createTarget(
  { store, delivery, secretBox, targetKinds, random }: CreateTargetOptions,
  caller: Caller,
  given: GivenTarget,
  formProblems: readonly Problem[] = [],
): Promise<TargetWithSecret> {
  const kind = given.kind ?? "webhook";
  const { headers, problems: headerProblems } = fillHeaderValues(given.headers ?? {}, {});
  const settings = {
    url: given.url ?? "",
    headers,
    contentType: given.contentType ?? defaultContentType,
    timeoutMs: given.timeoutMs ?? defaultTimeoutMs,
  };
  const retryPolicy = completeRetryPolicy(given.retryPolicy);
  const targetId = given.targetId ?? `tgt_${encodeBase32(random.bytes(13)).slice(-20)}`;
  const secret = given.secret ?? signingSecretOf(random.bytes(generatedKeyLength));
  const problems: (Problem | undefined)[] = [
    targetIdPattern.test(targetId) ? undefined : badTargetId,
    secretProblem(secret),
    retryPolicyProblem(retryPolicy),
    ...headerProblems,
    ...(await targetKinds[kind].check(settings, caller.accountId)),
  ];
  const found = addProblems(formProblems, problems);
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
    kind,
    sealedSettings: sealSettings(secretBox, settings),
    sealedSecrets: sealSecrets(secretBox, { current: secret, previous: null, previousUntil: null }),
    retryPolicy,
    maxConcurrency: given.maxConcurrency ?? defaultMaxConcurrency,
    rateLimit: given.rateLimit ?? null,
    paused: given.paused ?? false,
  };
  const created = await store.createTarget(target, note);
  if (created === "no-account") throw new RequestRefused(accountGone);
  if (created === "exists") {
    throw new RequestRefused({
      code: codes.targetExists,
      message: `There is a target "${targetId}" already. Change it with PATCH, or choose another targetId.`,
      field: "targetId",
    });
  }
  delivery.targetChanged(created.accountId, created.targetKey);
  return { ...viewTarget(secretBox, created), secret };
}

/** A field whose form is wrong was left out or is missing: what its stand-in would get is not said. */
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

export function secretProblem(secret: string): Problem | undefined {
  const fault = signingSecretFault(secret);
  if (fault === undefined) return undefined;
  return {
    code: codes.invalidRequest,
    message: `secret cannot be used: ${fault}.`,
    field: "secret",
  };
}
