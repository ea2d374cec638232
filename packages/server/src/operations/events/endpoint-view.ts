import type { EventEndpoint, WebhookProgress } from "../../domain/events/event-endpoint.ts";
import type { SecretBox } from "../../platform/secret-box.ts";
import type { Store } from "../../storage/store.ts";
import type { EventSender, EventSettings } from "../../targets/event-sender.ts";
import { openWebhook } from "../../targets/sealed-endpoint.ts";

export interface ViewEndpointOptions {
  readonly store: Pick<Store, "logSpans">;
  readonly secretBox: SecretBox;
  readonly eventSender: Pick<EventSender, "view">;
}

/** An event endpoint as its account sees it, without secrets. */
export interface EndpointView extends Omit<
  EventEndpoint,
  "accountId" | "sealedSettings" | "sealedSecrets" | "startPosition" | "progress"
> {
  readonly webhook: WebhookView | null;
}

interface WebhookView {
  readonly settings: EventSettings;
  readonly progress: WebhookProgress;
  /** How many events stand in the log after its position. */
  readonly behind: number;
}

/** With its new secret. The service shows the secret only this once. */
export interface EndpointWithSecret extends EndpointView {
  /** Null for a stream. */
  readonly secret: string | null;
}

export async function viewEndpoints(
  options: ViewEndpointOptions,
  accountId: string,
  endpoints: readonly EventEndpoint[],
): Promise<EndpointView[]> {
  const hasWebhooks = endpoints.some(({ progress }) => progress !== null);
  const spans = hasWebhooks ? await options.store.logSpans([accountId]) : undefined;
  const last = spans?.get(accountId)?.last ?? 0;
  return endpoints.map((endpoint) => view(options, endpoint, last));
}

export async function viewEndpoint(
  options: ViewEndpointOptions,
  endpoint: EventEndpoint,
): Promise<EndpointView> {
  const [only] = await viewEndpoints(options, endpoint.accountId, [endpoint]);
  return only!;
}

function view(
  { secretBox, eventSender }: ViewEndpointOptions,
  endpoint: EventEndpoint,
  last: number,
): EndpointView {
  const {
    accountId: _accountId,
    sealedSettings: _sealedSettings,
    sealedSecrets: _sealedSecrets,
    startPosition: _startPosition,
    progress,
    ...visible
  } = endpoint;
  const open = openWebhook(secretBox, endpoint);
  if (open === undefined || progress === null) return { ...visible, webhook: null };
  const settings = eventSender.view(open.settings);
  const behind = Math.max(0, last - progress.position);
  return { ...visible, webhook: { settings, progress, behind } };
}
