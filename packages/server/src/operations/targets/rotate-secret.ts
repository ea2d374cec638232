import type { Caller } from "../../domain/access.ts";
import { codes, RequestRefused } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import { defaultOverlapMs, rotatedSecrets } from "../../domain/rotated-secrets.ts";
import { generatedKeyLength, signingSecretOf } from "../../domain/signing-secret.ts";
import type { Clock } from "../../platform/clock.ts";
import { openSecrets, sealSecrets } from "../../targets/sealed-target.ts";
import { changeTarget } from "./change-target.ts";
import type { ChangeTargetOptions } from "./change-target.ts";
import { addProblems, secretProblem } from "./create-target.ts";
import { viewTarget } from "./target-view.ts";
import type { TargetWithSecret, ViewTargetOptions } from "./target-view.ts";

export interface RotateSecretOptions extends ChangeTargetOptions, ViewTargetOptions {
  readonly clock: Clock;
}

export interface GivenRotation {
  readonly secret?: string | undefined;
  /** How long the service also signs attempts with the old secret. */
  readonly overlapMs?: number | undefined;
}

export async function rotateSecret(
  options: RotateSecretOptions,
  caller: Caller,
  targetId: string,
  given: GivenRotation,
  formProblems: readonly Problem[] = [],
): Promise<TargetWithSecret> {
  const { secretBox, random, clock } = options;
  const secret = given.secret ?? signingSecretOf(random.bytes(generatedKeyLength));
  const problems = addProblems(formProblems, [secretProblem(secret)]);
  if (problems.length > 0) throw new RequestRefused(...problems);
  const { overlapMs } = given;
  const detail = { overlapMs: overlapMs ?? defaultOverlapMs };
  const audited = { action: "target.secret-rotated", detail } as const;
  const target = await changeTarget(options, caller, targetId, audited, (before) => {
    const secrets = openSecrets(secretBox, before);
    if (secrets === null) throw new RequestRefused(noSecret(before.kind));
    const rotated = rotatedSecrets(secrets, { secret, overlapMs }, clock.now());
    return rotated === undefined ? {} : { sealedSecrets: sealSecrets(secretBox, rotated) };
  });
  return { ...viewTarget(options, target), secret };
}

function noSecret(kind: string): Problem {
  return {
    code: codes.invalidRequest,
    message: `There is no secret to rotate: targets of kind ${kind} are not signed.`,
  };
}
