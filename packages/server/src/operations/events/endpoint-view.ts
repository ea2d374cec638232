import type { Bookmark } from "../../domain/events/bookmark.ts";
import type { EventEndpoint, WebhookProgress } from "../../domain/events/event-endpoint.ts";
import type { SecretBox } from "../../platform/secret-box.ts";
import type { Store } from "../../storage/store.ts";
import type { EventSender, EventSettings } from "../../targets/event-sender.ts";
import { openWebhook } from "../../targets/sealed-endpoint.ts";

export interface ViewEndpointOptions {
  readonly store: Pick<Store, "readEvents">;
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
  /** Where it is. */
  readonly place: Bookmark;
  /** How many events stand in the log after its position. */
  readonly behind: number;
}

/** With its new secret. The service shows the secret only this once. */
export interface EndpointWithSecret extends EndpointView {
  /** Null for a stream. */
  readonly secret: string | null;
}

export function viewEndpoints(
  options: ViewEndpointOptions,
  endpoints: readonly EventEndpoint[],
): Promise<EndpointView[]> {
  return Promise.all(endpoints.map((endpoint) => viewEndpoint(options, endpoint)));
}

export async function viewEndpoint(
  { store, secretBox, eventSender }: ViewEndpointOptions,
  endpoint: EventEndpoint,
): Promise<EndpointView> {
  const {
    accountId,
    sealedSettings: _sealedSettings,
    sealedSecrets: _sealedSecrets,
    startPosition: _startPosition,
    progress,
    ...visible
  } = endpoint;
  const open = openWebhook(secretBox, endpoint);
  if (open === undefined || progress === null) return { ...visible, webhook: null };
  const settings = eventSender.view(open.settings);
  const { position } = progress;
  const page = await store.readEvents(accountId, { after: position, limit: 1 });
  const isInLog = page !== undefined && page.removedUpTo <= position;
  const place = { position, mark: isInLog ? page.mark : null };
  const behind = Math.max(0, (page?.last ?? 0) - position);
  return { ...visible, webhook: { settings, progress, place, behind } };
}
