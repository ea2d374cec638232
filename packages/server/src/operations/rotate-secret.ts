import type { Caller } from "../domain/access.ts";
import { RequestRefused } from "../domain/refusals.ts";
import type { Problem } from "../domain/refusals.ts";
import { generatedKeyLength, signingSecretOf } from "../domain/signing-secret.ts";
import type { Clock } from "../platform/clock.ts";
import type { SecretBox } from "../platform/secret-box.ts";
import { openSecrets, sealSecrets } from "../targets/sealed-target.ts";
import { changeTarget } from "./change-target.ts";
import type { ChangeTargetOptions } from "./change-target.ts";
import { addProblems, secretProblem } from "./create-target.ts";
import { viewTarget } from "./target-view.ts";
import type { TargetWithSecret } from "./target-view.ts";

export interface RotateSecretOptions extends ChangeTargetOptions {
  readonly secretBox: SecretBox;
  readonly clock: Clock;
}

export interface GivenRotation {
  readonly secret?: string | undefined;
  /** How long attempts are signed with the old secret as well. */
  readonly overlapMs?: number | undefined;
}

const defaultOverlapMs = 24 * 3_600_000;

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
  const overlapMs = given.overlapMs ?? defaultOverlapMs;
  const deed = { action: "target.secret-rotated", detail: { overlapMs } } as const;
  const target = await changeTarget(options, caller, targetId, deed, (now) => {
    const { current } = openSecrets(secretBox, now);
    const overlaps = overlapMs > 0 && current !== secret;
    const secrets = {
      current: secret,
      previous: overlaps ? current : null,
      previousUntil: overlaps ? clock.now() + overlapMs : null,
    };
    return { sealedSecrets: sealSecrets(secretBox, secrets) };
  });
  return { ...viewTarget(secretBox, target), secret };
}
