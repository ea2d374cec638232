import type { Problem } from "../../domain/refusals.ts";
import { foreignFields } from "../foreign-fields.ts";
import type { CheckedSettings, GivenSettings, Overrides } from "../target-kind.ts";
import { fillHeaderValues, hideHeaderValues, strayingProblems } from "./header-values.ts";

/**
 * The settings of a webhook target. The service stores them sealed, because headers may hold credentials.
 */
export type WebhookSettings = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly contentType: string;
  readonly timeoutMs: number;
};

/** The form in which `packages/contract` lets a caller give them. */
interface GivenWebhook {
  readonly url?: string | undefined;
  readonly headers?: WebhookSettings["headers"] | null | undefined;
  readonly contentType?: string | null | undefined;
  readonly timeoutMs?: number | null | undefined;
}

const defaults: WebhookSettings = {
  url: "",
  headers: {},
  contentType: "text/plain; charset=utf-8",
  timeoutMs: 15_000,
};

export function completeWebhook(given: GivenSettings): CheckedSettings<WebhookSettings> {
  return merged(defaults, given, []);
}

export function mergeWebhook(
  kept: WebhookSettings,
  change: GivenSettings,
): CheckedSettings<WebhookSettings> {
  const { url, headers } = change as GivenWebhook;
  return merged(kept, change, strayingProblems(headers, kept, url ?? kept.url));
}

/** A caller sees which headers a target has, but not their values, which may be credentials. */
export function viewWebhook(settings: WebhookSettings): WebhookSettings {
  return { ...settings, headers: hideHeaderValues(settings.headers) };
}

/** The settings for one message. Header names that differ only in case are the same. */
export function overridden(settings: WebhookSettings, overrides: Overrides): WebhookSettings {
  const own = overrides.headers ?? {};
  const replaced = new Set(Object.keys(own).map((name) => name.toLowerCase()));
  const kept = Object.entries(settings.headers).filter(
    ([name]) => !replaced.has(name.toLowerCase()),
  );
  return {
    url: settings.url,
    headers: { ...Object.fromEntries(kept), ...own },
    contentType: overrides.contentType ?? settings.contentType,
    timeoutMs: overrides.timeoutMs ?? settings.timeoutMs,
  };
}

function merged(
  kept: WebhookSettings,
  given: GivenSettings,
  straying: readonly Problem[],
): CheckedSettings<WebhookSettings> {
  const change = given as GivenWebhook;
  const { headers, problems } =
    change.headers === undefined
      ? { headers: kept.headers, problems: [] }
      : fillHeaderValues(change.headers ?? {}, kept.headers);
  return {
    settings: {
      url: change.url ?? kept.url,
      headers,
      contentType: part(change.contentType, kept.contentType, defaults.contentType),
      timeoutMs: part(change.timeoutMs, kept.timeoutMs, defaults.timeoutMs),
    },
    problems: [...foreignFields("webhook", given, Object.keys(defaults)), ...problems, ...straying],
  };
}

/** Undefined keeps the value, null resets it. */
function part<Value>(given: Value | null | undefined, kept: Value, byDefault: Value): Value {
  if (given === undefined) return kept;
  return given ?? byDefault;
}
