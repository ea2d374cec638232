import type { eventTypes } from "@postdate/contract";
import { positionText } from "../../domain/events/position-text.ts";
import { formatTime } from "../../domain/times.ts";
import type { EndpointView, EndpointWithSecret } from "../../operations/operations.ts";
import { timeOrNull } from "./wire-messages.ts";

type WireType = (typeof eventTypes)[number];

/** An event endpoint as the API shows it, with what only webhooks have. */
export function wireEndpoint(endpoint: EndpointView) {
  const { types, targetIds, labels } = endpoint.filter;
  return {
    endpointId: endpoint.endpointId,
    kind: endpoint.kind,
    types: types && ([...types] as WireType[]),
    targetIds: targetIds && [...targetIds],
    labels,
    ...wireWebhook(endpoint),
    paused: endpoint.paused,
    disabledTime: timeOrNull(endpoint.disabledTime),
    creationTime: formatTime(endpoint.creationTime),
    updateTime: formatTime(endpoint.updateTime),
    revision: endpoint.revision,
    ...wireProgress(endpoint),
  };
}

export function wireEndpointWithSecret({ secret, ...endpoint }: EndpointWithSecret) {
  const shown = wireEndpoint(endpoint);
  return secret === null ? shown : { ...shown, secret };
}

function wireWebhook({ webhook, maxBatch }: EndpointView) {
  if (webhook === null) return {};
  const { url, headers } = webhook.settings;
  return { url, headers: { ...headers }, maxBatch };
}

function wireProgress({ webhook }: EndpointView) {
  if (webhook === null) return {};
  const { failures, retryTime, lastError, lastSuccessTime } = webhook.progress;
  return {
    progress: {
      position: positionText(webhook.place),
      behind: webhook.behind,
      failures,
      retryTime: timeOrNull(retryTime),
      lastError,
      lastSuccessTime: timeOrNull(lastSuccessTime),
    },
  };
}
