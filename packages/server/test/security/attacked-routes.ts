import { farAway } from "../support/shared-service.ts";

export interface AttackedRoute {
  readonly route: string;
  /** The kind of credential that the route takes. */
  readonly as: "account" | "operator" | "nobody";
  /** A body with every field that the route knows. What excludes each other is in entries of its own. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly isForm?: true;
  /** The id in the path may be new. One that nothing can have is a problem of its own. */
  readonly mayCreate?: true;
  readonly query?: readonly string[];
  /** What a request needs so that its body is looked at. */
  readonly headers?: Readonly<Record<string, string>>;
}

const url = "https://hooks.example.com/in";
const retryPolicy = {
  maxAttempts: 2,
  backoff: { kind: "exponential", initialMs: 1, factor: 2, maxMs: 9, jitter: 0.5 },
  finalStatuses: [404],
  maxRetryAfterMs: 0,
};
const sending = { headers: { "x-a": "b" }, contentType: "text/plain", timeoutMs: 1_000 };
const later = "2999-02-01T00:00:00.000Z";
const message = {
  targetId: "nobody",
  deliveryTime: farAway,
  payload: "p",
  ...sending,
  retryPolicy,
  key: "k",
  onConflict: "replace",
  labels: { a: "b" },
  notAfter: later,
  flexWindowMs: 1,
};
const delayed = { targetId: "nobody", delayMs: 1, payload: "p", notAfterMs: 1 };
const debounced = {
  targetId: "nobody",
  payload: "p",
  key: "k",
  onConflict: "debounce",
  debounce: { quietMs: 1, maxWaitMs: 1 },
};
const settings = {
  url,
  ...sending,
  retryPolicy,
  maxConcurrency: 1,
  rateLimit: { max: 1, intervalMs: 1_000 },
  failingAfter: { attempts: 1, ms: 1 },
};
/** Of a target that nobody has, so that nothing is ever sent. */
const subscription = { types: ["message.*"], targetIds: ["nobody"], labels: { a: "b" } };
const eventWebhook = { ...subscription, url, headers: { "x-a": "b" }, maxBatch: 1 };
const options = {
  labels: { order: "4711" },
  retryPolicy: settings.retryPolicy,
  notAfter: "2999-02-01T00:00:00Z",
  headers: settings.headers,
  contentType: "text/plain",
  timeoutMs: 1_000,
  flexWindowMs: 1,
};
const filter = {
  minTime: "2999-01-01T00:00:00Z",
  maxTime: later,
  labels: { a: "b" },
  keyPrefix: "k",
  scheduleId: "nobody",
};
const deadLetters = { ...filter, deadLetterReason: "FINAL_ANSWER", lastStatusCode: 404 };
const pace = { ratePerSecond: 1, maxMessages: 1, note: "n", dryRun: true };
const redrive = { ...pace, stopAfterFailures: 1 };
const furtherPreview = { dryRun: true, pageToken: "t" };
const recurring = {
  timeZone: "Europe/Berlin",
  startTime: farAway,
  endTime: later,
  maxRuns: 1,
  except: ["2999-01-02"],
};
const span = { from: farAway, count: 1 };
const recurringMessage = {
  ...{ targetId: "nobody", payload: "p", ...recurring },
  message: { labels: { a: "b" }, retryPolicy, notAfterMs: 1, ...sending },
  ...{ flexWindowMs: 1, overlap: "skip", pauseAfterDeadLetters: 1 },
  catchUp: { mode: "all", windowMs: 1 },
};
const rules = [{ cron: ["0 9 * * *"] }, { everyMs: 86_400_000 }, { at: ["2999-01-01T09:00"] }];
const access = { name: "n", scopes: ["scheduler.messages.read"] };
const limits = { monthlyMessageLimit: 1, requestLimit: { max: 1, intervalMs: 1_000 } };
const credentials = { client_id: "cli_nobody", client_secret: "pds_nothing" };
const secret = `whsec_${"A".repeat(43)}=`;
const page = ["pageToken", "limit"];
const times = [...page, "minTime", "maxTime"];
const search = [...times, "state", "targetId", "scheduleId", "label", "order"];
const range = ["targetId", "minTime", "maxTime", "bucket"];
const none = {};

const ofAccounts: readonly Omit<AttackedRoute, "as">[] = [
  { route: "POST /v1/messages", body: message },
  { route: "POST /v1/messages", body: delayed },
  { route: "POST /v1/messages", body: { ...message, ...options } },
  { route: "POST /v1/messages", body: { ...delayed, notAfterMs: 1 } },
  { route: "POST /v1/messages", body: debounced },
  { route: "POST /v1/messages/batch", body: { messages: [message] } },
  { route: "POST /v1/messages/batch", body: { messages: [debounced] } },
  {
    route: "POST /v1/messages/batch",
    body: { messages: [{ ...delayed, idempotencyKey: "k" }] },
  },
  { route: "POST /v1/messages/batch", body: { messages: [{ ...message, ...options }] } },
  { route: "POST /v1/messages/batch", body: { messages: [{ ...delayed, notAfterMs: 1 }] } },
  { route: "GET /v1/messages", query: search },
  { route: "GET /v1/messages/{messageId}" },
  { route: "GET /v1/messages/{messageId}/payload" },
  { route: "GET /v1/messages/{messageId}/attempts" },
  { route: "POST /v1/messages/{messageId}/cancel", body: none },
  { route: "POST /v1/messages/{messageId}/reschedule", body: { deliveryTime: farAway } },
  { route: "POST /v1/messages/{messageId}/reschedule", body: { delayMs: 1 } },
  {
    route: "POST /v1/messages/{messageId}/reschedule",
    body: { deliveryTime: farAway, notAfter: later },
  },
  { route: "POST /v1/messages/{messageId}/reschedule", body: { delayMs: 1, notAfterMs: 1 } },
  { route: "GET /v1/targets/{targetId}/keys/{key}" },
  { route: "POST /v1/targets/{targetId}/keys/{key}/cancel", body: none },
  {
    route: "POST /v1/targets/{targetId}/keys/{key}/reschedule",
    body: { deliveryTime: farAway, notAfter: later },
  },
  {
    route: "POST /v1/targets/{targetId}/keys/{key}/reschedule",
    body: { delayMs: 1, notAfterMs: 1 },
  },
  { route: "GET /v1/targets/{targetId}/scheduled-messages", query: times },
  { route: "GET /v1/targets/{targetId}/dead-letters", query: times },
  {
    route: "POST /v1/jobs",
    body: { action: "redrive", filter: { targetId: "nobody", ...deadLetters }, ...redrive },
  },
  {
    route: "POST /v1/jobs",
    body: {
      ...{ action: "reschedule", deliveryTime: farAway },
      ...{ filter: { targetId: "nobody", ...filter }, ...pace },
    },
  },
  {
    route: "POST /v1/jobs",
    body: { action: "shift", byMs: 1, filter: { targetId: "nobody", ...filter }, ...pace },
  },
  {
    route: "POST /v1/jobs",
    body: { action: "cancel", filter: { targetId: "nobody" }, ...furtherPreview },
  },
  {
    route: "POST /v1/targets/{targetId}/dead-letters/redrive",
    body: { filter: deadLetters, ...redrive },
  },
  { route: "POST /v1/targets/{targetId}/dead-letters/redrive", body: furtherPreview },
  { route: "GET /v1/jobs", query: page },
  { route: "GET /v1/jobs/{jobId}" },
  { route: "PATCH /v1/jobs/{jobId}", body: { ratePerSecond: 1 } },
  { route: "POST /v1/jobs/{jobId}/stop", body: none },
  { route: "POST /v1/jobs/{jobId}/pause", body: none },
  { route: "POST /v1/jobs/{jobId}/resume", body: none },
  { route: "GET /v1/schedules", query: [...page, "targetId", "paused"] },
  ...rules.flatMap((rule): Omit<AttackedRoute, "as">[] => [
    { route: "POST /v1/schedules", body: { scheduleId: "never", ...recurringMessage, ...rule } },
    {
      route: "PUT /v1/schedules/{scheduleId}",
      body: { ...recurringMessage, ...rule },
      mayCreate: true,
    },
    { route: "PATCH /v1/schedules/{scheduleId}", body: { ...recurringMessage, ...rule } },
    {
      route: "POST /v1/schedules/preview",
      body: { scheduleId: "never", ...recurringMessage, ...span, ...rule },
    },
  ]),
  { route: "GET /v1/schedules/{scheduleId}" },
  { route: "DELETE /v1/schedules/{scheduleId}" },
  { route: "POST /v1/schedules/{scheduleId}/pause", body: { note: "n", until: later } },
  { route: "POST /v1/schedules/{scheduleId}/resume", body: none },
  { route: "POST /v1/schedules/{scheduleId}/trigger", body: none },
  { route: "POST /v1/schedules/{scheduleId}/skip", body: { time: farAway } },
  { route: "POST /v1/schedules/{scheduleId}/unskip", body: { time: farAway } },
  {
    route: "POST /v1/schedules/{scheduleId}/backfill",
    body: {
      ...{ from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z" },
      ...{ ratePerSecond: 1, note: "n", dryRun: true },
    },
  },
  {
    route: "POST /v1/schedules/{scheduleId}/backfill",
    body: { from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z", ...furtherPreview },
  },
  { route: "GET /v1/schedules/{scheduleId}/runs", query: page },
  { route: "GET /v1/stats" },
  { route: "GET /v1/stats/activity", query: range },
  { route: "GET /v1/stats/targets", query: ["targetId", ...page] },
  { route: "GET /v1/forecast", query: range },
  { route: "GET /v1/dead-letters/groups", query: ["targetId"] },
  { route: "GET /v1/usage" },
  { route: "GET /v1/targets", query: page },
  { route: "GET /v1/targets/{targetId}" },
  {
    route: "POST /v1/targets",
    body: { targetId: "never", kind: "webhook", ...settings, paused: false, secret },
  },
  { route: "PATCH /v1/targets/{targetId}", body: { ...settings, paused: false } },
  { route: "DELETE /v1/targets/{targetId}", query: ["messages"] },
  { route: "POST /v1/targets/{targetId}/pause", body: none },
  { route: "POST /v1/targets/{targetId}/resume", body: none },
  { route: "POST /v1/targets/{targetId}/test", body: { payload: "p" } },
  { route: "POST /v1/targets/{targetId}/rotate-secret", body: { secret, overlapMs: 0 } },
  { route: "GET /v1/event-endpoints", query: page },
  {
    route: "POST /v1/event-endpoints",
    body: { endpointId: "never", kind: "webhook", ...eventWebhook, secret },
  },
  { route: "POST /v1/event-endpoints", body: { kind: "stream", ...subscription } },
  { route: "GET /v1/event-endpoints/{endpointId}" },
  { route: "PATCH /v1/event-endpoints/{endpointId}", body: eventWebhook },
  { route: "DELETE /v1/event-endpoints/{endpointId}" },
  { route: "POST /v1/event-endpoints/{endpointId}/pause", body: none },
  { route: "POST /v1/event-endpoints/{endpointId}/resume", body: none },
  { route: "POST /v1/event-endpoints/{endpointId}/test", body: none },
  {
    route: "POST /v1/event-endpoints/{endpointId}/rewind",
    body: { to: "2026-01-01T00:00:00Z", skip: false },
  },
  {
    route: "POST /v1/event-endpoints/{endpointId}/rotate-secret",
    body: { secret, overlapMs: 0 },
  },
  {
    route: "GET /v1/event-endpoints/{endpointId}/events",
    query: ["after", "from", "limit", "waitMs"],
  },
  { route: "GET /v1/event-endpoints/{endpointId}/stream", query: ["from"] },
  { route: "GET /v1/keys" },
  { route: "POST /v1/keys", body: access },
  { route: "DELETE /v1/keys/{keyId}" },
  { route: "GET /v1/clients" },
  { route: "GET /v1/clients/{clientId}" },
  { route: "POST /v1/clients", body: access },
  { route: "DELETE /v1/clients/{clientId}" },
  { route: "POST /v1/clients/{clientId}/rotate-secret", body: { overlapMs: 0 } },
  { route: "GET /v1/account" },
  { route: "GET /v1/audit-log", query: times },
  { route: "GET /v1/nodes" },
];

const ofTheOperator: readonly Omit<AttackedRoute, "as">[] = [
  { route: "GET /v1/accounts", query: page },
  { route: "POST /v1/accounts", body: { accountId: "never", name: "n", ...limits } },
  { route: "GET /v1/accounts/{accountId}" },
  { route: "PATCH /v1/accounts/{accountId}", body: { name: "n", ...limits } },
  { route: "DELETE /v1/accounts/{accountId}" },
  { route: "POST /v1/accounts/{accountId}/suspend", body: none },
  { route: "POST /v1/accounts/{accountId}/resume", body: none },
  { route: "POST /v1/accounts/{accountId}/keys", body: access },
  { route: "GET /v1/accounts/{accountId}/audit-log", query: times },
  { route: "GET /v1/operator/audit-log", query: times },
  { route: "GET /v1/signing-keys" },
  { route: "POST /v1/signing-keys/rotate", body: { removeOld: false } },
  { route: "GET /v1/encryption" },
  { route: "POST /v1/encryption/rotate", body: {} },
];

const ofNobody: readonly Omit<AttackedRoute, "as">[] = [
  {
    route: "POST /oauth/token",
    body: { grant_type: "client_credentials", scope: "scheduler.all.read", ...credentials },
    isForm: true,
  },
  {
    route: "POST /oauth/revoke",
    body: { token: "t", token_type_hint: "access_token", ...credentials },
    isForm: true,
  },
  {
    route: "POST /v1/session",
    body: { key: "pd_nothing" },
    headers: { "sec-fetch-site": "same-origin", "postdate-console": "1" },
  },
  { route: "GET /v1/session" },
  { route: "DELETE /v1/session" },
  { route: "GET /.well-known/oauth-authorization-server" },
  { route: "GET /.well-known/jwks.json" },
  { route: "GET /healthz" },
  { route: "GET /readyz" },
  { route: "GET /metrics" },
];

/** The path with this text in place of each of its parameters in turn, and with these ids for the others. */
export function attackedPaths(
  template: string,
  text: string,
  ids: Readonly<Record<string, string>>,
): string[] {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  return names.map((attacked) =>
    template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(name === attacked ? text : (ids[name] ?? name)),
    ),
  );
}

/** Every route of the OpenAPI document, with all its inputs. A test compares the two. */
export const attackedRoutes: readonly AttackedRoute[] = [
  ...ofAccounts.map((route) => ({ ...route, as: "account" as const })),
  ...ofTheOperator.map((route) => ({ ...route, as: "operator" as const })),
  ...ofNobody.map((route) => ({ ...route, as: "nobody" as const })),
];
