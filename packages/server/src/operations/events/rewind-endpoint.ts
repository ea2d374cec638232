import type { Caller } from "../../domain/access.ts";
import type { Problem } from "../../domain/refusals.ts";
import { RequestRefused } from "../../domain/refusals.ts";
import { formatTime } from "../../domain/times.ts";
import type { Store } from "../../storage/store.ts";
import { readGivenTime } from "../messages/given-time.ts";
import { addProblems } from "../targets/create-target.ts";
import { changeEndpoint } from "./change-endpoint.ts";
import type { ChangeEndpointOptions } from "./change-endpoint.ts";
import { onlyForWebhooks } from "./endpoint-ref.ts";
import { viewEndpoint } from "./endpoint-view.ts";
import type { EndpointView, ViewEndpointOptions } from "./endpoint-view.ts";

export type RewindEndpointOptions = ChangeEndpointOptions &
  ViewEndpointOptions & { readonly store: Pick<Store, "findPosition"> };

/** Sends the events of this time or later once more. The position may also move ahead: then events are left out. */
export async function rewindEventEndpoint(
  options: RewindEndpointOptions,
  caller: Caller,
  endpointId: string,
  given: { readonly to?: string | undefined },
  formProblems: readonly Problem[] = [],
): Promise<EndpointView> {
  const found: Problem[] = [];
  const to = readGivenTime(given.to, "to", found);
  const problems = addProblems(formProblems, found);
  if (problems.length > 0) throw new RequestRefused(...problems);
  const audited = { action: "event-endpoint.rewound", detail: { to: formatTime(to!) } } as const;
  const endpoint = await changeEndpoint(options, caller, endpointId, audited, async (now) => {
    if (now.kind !== "webhook") throw new RequestRefused(onlyForWebhooks("A rewind"));
    return { position: await options.store.findPosition(caller.accountId, to!) };
  });
  return viewEndpoint(options, endpoint);
}
