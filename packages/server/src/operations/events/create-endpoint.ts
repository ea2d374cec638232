import type { Caller } from "../../domain/access.ts";
import { mostEndpoints } from "../../domain/events/event-endpoint.ts";
import type { EndpointKind, NewEventEndpoint } from "../../domain/events/event-endpoint.ts";
import { codes, RequestRefused } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import { generatedKeyLength, signingSecretOf } from "../../domain/signing-secret.ts";
import { encodeBase32 } from "../../platform/base32.ts";
import type { Random } from "../../platform/random.ts";
import type { Store } from "../../storage/store.ts";
import type { EventSender } from "../../targets/event-sender.ts";
import { sealEventSecrets, sealEventSettings } from "../../targets/sealed-endpoint.ts";
import { accountGone } from "../access/account-gone.ts";
import { auditNote } from "../audit/audit-note.ts";
import { addProblems, secretProblem } from "../targets/create-target.ts";
import { endpointIdPattern } from "./endpoint-ref.ts";
import { viewEndpoint } from "./endpoint-view.ts";
import type { EndpointWithSecret, ViewEndpointOptions } from "./endpoint-view.ts";
import type { EventControl } from "./event-control.ts";
import { mergeFilter } from "./given-filter.ts";
import type { GivenFilter } from "./given-filter.ts";

export interface CreateEndpointOptions extends ViewEndpointOptions {
  readonly store: Pick<Store, "createEndpoint" | "marksAt">;
  readonly eventSender: Pick<EventSender, "complete" | "view">;
  readonly events: EventControl;
  readonly random: Random;
}

export interface GivenEndpoint extends GivenFilter {
  readonly endpointId?: string | undefined;
  readonly kind?: EndpointKind | undefined;
  readonly url?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly maxBatch?: number | undefined;
  readonly secret?: string | undefined;
}

type Parts = Pick<NewEventEndpoint, "sealedSettings" | "sealedSecrets" | "maxBatch"> & {
  readonly secret: string | null;
};

export async function createEventEndpoint(
  options: CreateEndpointOptions,
  caller: Caller,
  given: GivenEndpoint,
  formProblems: readonly Problem[] = [],
): Promise<EndpointWithSecret> {
  const { store, random, events } = options;
  const { accountId } = caller;
  const { kind = "stream" } = given;
  const endpointId = given.endpointId ?? `evp_${encodeBase32(random.bytes(13)).slice(-20)}`;
  const found: Problem[] = [];
  if (!endpointIdPattern.test(endpointId)) found.push(badEndpointId);
  const filter = mergeFilter(given, found);
  const parts =
    kind === "webhook"
      ? await webhookParts(options, accountId, given, found)
      : streamParts(given, found);
  const problems = addProblems(formProblems, found);
  if (problems.length > 0) throw new RequestRefused(...problems);

  const note = auditNote(random, caller, {
    action: "event-endpoint.created",
    accountId,
    subjectId: endpointId,
    detail: { kind },
  });
  const { secret, ...sealed } = parts;
  const endpoint = { accountId, endpointId, kind, filter, ...sealed };
  const result = await store.createEndpoint(endpoint, note);
  if (result.kind !== "created") throw new RequestRefused(refusalOf(result.kind, endpointId));
  events.endpointsChanged(accountId);
  return { ...(await viewEndpoint(options, result.endpoint)), secret };
}

async function webhookParts(
  { secretBox, eventSender, random }: CreateEndpointOptions,
  accountId: string,
  { url, headers, maxBatch, secret: givenSecret }: GivenEndpoint,
  problems: Problem[],
): Promise<Parts> {
  const secret = givenSecret ?? signingSecretOf(random.bytes(generatedKeyLength));
  const secretFault = secretProblem(secret);
  if (secretFault !== undefined) problems.push(secretFault);
  const checked = await eventSender.complete({ url, headers }, accountId);
  problems.push(...checked.problems);
  const secrets = { current: secret, previous: null, previousUntil: null };
  return {
    sealedSettings: sealEventSettings(secretBox, checked.settings),
    sealedSecrets: sealEventSecrets(secretBox, secrets),
    maxBatch: maxBatch ?? 1,
    secret,
  };
}

const webhookFields = ["url", "headers", "maxBatch", "secret"] as const;

function streamParts(given: GivenEndpoint, problems: Problem[]): Parts {
  for (const field of webhookFields) {
    if (given[field] === undefined) continue;
    const message = `Leave ${field} out: it is only for event endpoints of kind webhook.`;
    problems.push({ code: codes.invalidRequest, message, field });
  }
  return { sealedSettings: null, sealedSecrets: null, maxBatch: 1, secret: null };
}

const badEndpointId: Problem = {
  code: codes.invalidRequest,
  message: "endpointId must be 1 to 64 letters, digits, _ and -.",
  field: "endpointId",
};

function refusalOf(kind: "exists" | "too-many" | "no-account", endpointId: string): Problem {
  if (kind === "no-account") return accountGone;
  if (kind === "too-many") {
    return {
      code: codes.tooManyEventEndpoints,
      message: `An account has at most ${mostEndpoints} event endpoints. Remove one that is no longer needed, or let several readers read the same.`,
    };
  }
  return {
    code: codes.eventEndpointExists,
    message: `The event endpoint "${endpointId}" exists already. Change it with PATCH, or choose another endpointId.`,
    field: "endpointId",
  };
}
