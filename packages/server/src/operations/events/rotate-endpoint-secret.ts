import type { Caller } from "../../domain/access.ts";
import type { Problem } from "../../domain/refusals.ts";
import { RequestRefused } from "../../domain/refusals.ts";
import { defaultOverlapMs, rotatedSecrets } from "../../domain/rotated-secrets.ts";
import { generatedKeyLength, signingSecretOf } from "../../domain/signing-secret.ts";
import type { Clock } from "../../platform/clock.ts";
import { openWebhook, sealEventSecrets } from "../../targets/sealed-endpoint.ts";
import { addProblems, secretProblem } from "../targets/create-target.ts";
import type { GivenRotation } from "../targets/rotate-secret.ts";
import { changeEndpoint } from "./change-endpoint.ts";
import type { ChangeEndpointOptions } from "./change-endpoint.ts";
import { onlyForWebhooks } from "./endpoint-ref.ts";
import { viewEndpoint } from "./endpoint-view.ts";
import type { EndpointWithSecret, ViewEndpointOptions } from "./endpoint-view.ts";

export type RotateEndpointSecretOptions = ChangeEndpointOptions &
  ViewEndpointOptions & { readonly clock: Pick<Clock, "now"> };

export async function rotateEventEndpointSecret(
  options: RotateEndpointSecretOptions,
  caller: Caller,
  endpointId: string,
  given: GivenRotation,
  formProblems: readonly Problem[] = [],
): Promise<EndpointWithSecret> {
  const { secretBox, random, clock } = options;
  const secret = given.secret ?? signingSecretOf(random.bytes(generatedKeyLength));
  const problems = addProblems(formProblems, [secretProblem(secret)]);
  if (problems.length > 0) throw new RequestRefused(...problems);
  const { overlapMs } = given;
  const detail = { overlapMs: overlapMs ?? defaultOverlapMs };
  const audited = { action: "event-endpoint.secret-rotated", detail } as const;
  const endpoint = await changeEndpoint(options, caller, endpointId, audited, (before) => {
    const open = openWebhook(secretBox, before);
    if (open === undefined) throw new RequestRefused(onlyForWebhooks("A signing secret"));
    const rotated = rotatedSecrets(open.secrets, { secret, overlapMs }, clock.now());
    return rotated === undefined ? {} : { sealedSecrets: sealEventSecrets(secretBox, rotated) };
  });
  return { ...(await viewEndpoint(options, endpoint)), secret };
}
