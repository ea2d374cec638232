import type { Bookmark } from "../../domain/events/bookmark.ts";
import type { EventEndpoint, WebhookProgress } from "../../domain/events/event-endpoint.ts";
import type { EventPosition } from "../../domain/events/event.ts";
import type { SecretBox } from "../../platform/secret-box.ts";
import type { Store } from "../../storage/store.ts";
import type { EventSender, EventSettings } from "../../targets/event-sender.ts";
import { openWebhook } from "../../targets/sealed-endpoint.ts";

export interface ViewEndpointOptions {
  readonly store: Pick<Store, "marksAt">;
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

export async function viewEndpoint(
  options: ViewEndpointOptions,
  endpoint: EventEndpoint,
): Promise<EndpointView> {
  const [view] = await viewEndpoints(options, [endpoint]);
  return view!;
}

/** They are of one account, and one look into its log is enough for all of them. */
export async function viewEndpoints(
  options: ViewEndpointOptions,
  endpoints: readonly EventEndpoint[],
): Promise<EndpointView[]> {
  const webhooks = endpoints.filter(({ progress }) => progress !== null);
  const [first] = webhooks;
  if (first === undefined) return endpoints.map((endpoint) => viewOf(options, endpoint, null));
  const positions = webhooks.map(({ progress }) => progress!.position);
  const log = await options.store.marksAt(first.accountId, positions);
  const marks = new Map(webhooks.map((webhook, nth) => [webhook, log?.marks[nth] ?? null]));
  return endpoints.map((endpoint) =>
    viewOf(options, endpoint, { last: log?.last ?? 0, mark: marks.get(endpoint) ?? null }),
  );
}

interface LogLook {
  readonly last: EventPosition;
  /** Of the event that the webhook has behind it. */
  readonly mark: string | null;
}

function viewOf(
  { secretBox, eventSender }: ViewEndpointOptions,
  endpoint: EventEndpoint,
  log: LogLook | null,
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
  if (open === undefined || progress === null || log === null) return { ...visible, webhook: null };
  const settings = eventSender.view(open.settings);
  const place = { position: progress.position, mark: log.mark };
  const behind = Math.max(0, log.last - progress.position);
  return { ...visible, webhook: { settings, progress, place, behind } };
}
