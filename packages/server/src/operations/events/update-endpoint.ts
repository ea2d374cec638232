import type { Caller } from "../../domain/access.ts";
import type { EventEndpoint } from "../../domain/events/event-endpoint.ts";
import type { Problem } from "../../domain/refusals.ts";
import { RequestRefused } from "../../domain/refusals.ts";
import type { EndpointChange } from "../../storage/store.ts";
import type { EventSender } from "../../targets/event-sender.ts";
import { openWebhook, sealEventSettings } from "../../targets/sealed-endpoint.ts";
import { addProblems } from "../targets/create-target.ts";
import { changeEndpoint } from "./change-endpoint.ts";
import type { ChangeEndpointOptions } from "./change-endpoint.ts";
import { onlyForWebhooks } from "./endpoint-ref.ts";
import { viewEndpoint } from "./endpoint-view.ts";
import type { EndpointView, ViewEndpointOptions } from "./endpoint-view.ts";
import { mergeFilter } from "./given-filter.ts";
import type { GivenFilter } from "./given-filter.ts";

export type UpdateEndpointOptions = ChangeEndpointOptions &
  ViewEndpointOptions & { readonly eventSender: Pick<EventSender, "merge" | "view"> };

/** Undefined keeps a part, null resets it to its default. */
export interface GivenEndpointChange extends GivenFilter {
  readonly url?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | null | undefined;
  readonly maxBatch?: number | null | undefined;
}

export async function updateEventEndpoint(
  options: UpdateEndpointOptions,
  caller: Caller,
  endpointId: string,
  given: GivenEndpointChange,
  formProblems: readonly Problem[] = [],
): Promise<EndpointView> {
  const fields = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [name],
  );
  const audited = { action: "event-endpoint.updated", detail: { fields } } as const;
  const changed = await changeEndpoint(options, caller, endpointId, audited, async (endpoint) => {
    const found: Problem[] = [];
    const change = {
      ...changedFilter(endpoint, given, found),
      ...(await changedSettings(options, endpoint, given, found)),
    };
    const problems = addProblems(formProblems, found);
    if (problems.length > 0) throw new RequestRefused(...problems);
    return change;
  });
  return viewEndpoint(options, changed);
}

function changedFilter(
  { filter }: EventEndpoint,
  given: GivenEndpointChange,
  problems: Problem[],
): EndpointChange {
  const { types, targetIds, labels } = given;
  if (types === undefined && targetIds === undefined && labels === undefined) return {};
  return { filter: mergeFilter(given, problems, filter) };
}

async function changedSettings(
  { secretBox, eventSender }: UpdateEndpointOptions,
  endpoint: EventEndpoint,
  { url, headers, maxBatch }: GivenEndpointChange,
  problems: Problem[],
): Promise<EndpointChange> {
  const touchesSettings = url !== undefined || headers !== undefined;
  if (!touchesSettings && maxBatch === undefined) return {};
  const open = openWebhook(secretBox, endpoint);
  if (open === undefined) {
    throw new RequestRefused(onlyForWebhooks("Each of url, headers and maxBatch"));
  }
  const batch = maxBatch === undefined ? {} : { maxBatch: maxBatch ?? 1 };
  if (!touchesSettings) return batch;
  const merged = await eventSender.merge(open.settings, { url, headers }, endpoint.accountId);
  problems.push(...merged.problems);
  return { ...batch, sealedSettings: sealEventSettings(secretBox, merged.settings) };
}
