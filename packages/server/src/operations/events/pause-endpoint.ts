import type { Caller } from "../../domain/access.ts";
import { RequestRefused } from "../../domain/refusals.ts";
import { changeEndpoint } from "./change-endpoint.ts";
import type { ChangeEndpointOptions } from "./change-endpoint.ts";
import { onlyForWebhooks } from "./endpoint-ref.ts";
import { viewEndpoint } from "./endpoint-view.ts";
import type { EndpointView, ViewEndpointOptions } from "./endpoint-view.ts";

export type PauseEndpointOptions = ChangeEndpointOptions & ViewEndpointOptions;

/** Pausing a paused endpoint changes nothing and is not an error. */
export async function pauseEventEndpoint(
  options: PauseEndpointOptions,
  caller: Caller,
  endpointId: string,
): Promise<EndpointView> {
  const audited = { action: "event-endpoint.paused" } as const;
  const endpoint = await changeEndpoint(options, caller, endpointId, audited, (now) => {
    if (now.kind !== "webhook") throw new RequestRefused(onlyForWebhooks("A pause"));
    return now.paused ? {} : { paused: true };
  });
  return viewEndpoint(options, endpoint);
}

/** Also sends again at once to a receiver that was gone, or that is waited for. */
export async function resumeEventEndpoint(
  options: PauseEndpointOptions,
  caller: Caller,
  endpointId: string,
): Promise<EndpointView> {
  const audited = { action: "event-endpoint.resumed" } as const;
  const endpoint = await changeEndpoint(options, caller, endpointId, audited, (now) => {
    if (now.kind !== "webhook") throw new RequestRefused(onlyForWebhooks("A resume"));
    const waits = now.disabledTime !== null || now.progress?.retryTime != null;
    return now.paused || waits ? { paused: false, revived: true } : {};
  });
  return viewEndpoint(options, endpoint);
}
