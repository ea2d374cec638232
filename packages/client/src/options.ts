import type { ClientSecret } from "./access/oauth.ts";
import { checkHeaders, checkText, checkTimeout } from "./call-options.ts";
import { check, refuseUnknown } from "./input-error.ts";
import type { Fetch } from "./transport/exchange.ts";
import type { RetryOptions } from "./transport/retries.ts";
import { readRetries } from "./transport/retries.ts";
import { version } from "./version.ts";

interface ConnectionOptions {
  /** Where the server is, with or without `/v1`. `POSTDATE_URL`, or `http://127.0.0.1:7070`, by default. */
  readonly url?: string | undefined;
  /** In place of the global `fetch`. */
  readonly fetch?: Fetch | undefined;
  /** The deadline over all tries of a call; 30,000 by default. */
  readonly timeoutMs?: number | undefined;
  /** How failed requests are repeated. `false` turns it off. */
  readonly retry?: RetryOptions | false | undefined;
  /** Whether `schedule()` calls that come together travel together; true by default. */
  readonly gather?: boolean | undefined;
  /** Headers of every request, besides those of the client. `user-agent` may name your program. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

interface KeyOptions {
  /** An API key. The variable `POSTDATE_KEY` by default. */
  readonly key?: string | undefined;
  readonly clientId?: undefined;
  readonly clientSecret?: undefined;
}

interface ClientOptions {
  readonly key?: undefined;
  /** Instead of a key: the id of an OAuth client, whose tokens the client gets and renews. */
  readonly clientId: string | undefined;
  /** The secret of the OAuth client. */
  readonly clientSecret: string | undefined;
}

export type PostdateOptions = ConnectionOptions & (KeyOptions | ClientOptions);

const defaultUrl = "http://127.0.0.1:7070";
const defaultTimeoutMs = 30_000;

export function readOptions(options: PostdateOptions) {
  const {
    url,
    key,
    clientId,
    clientSecret,
    fetch: given,
    timeoutMs = defaultTimeoutMs,
    retry,
    gather = true,
    headers = {},
    ...unknown
  } = options;
  refuseUnknown(unknown);
  check(given === undefined || typeof given === "function", "fetch must be a function.");
  return {
    credential: readCredential(key, clientId, clientSecret),
    gather,
    url: readUrl(url ?? environment("POSTDATE_URL") ?? defaultUrl),
    // Looked up at each call: programs replace the global fetch.
    fetch: (address: string, init: RequestInit) => (given ?? fetch)(address, init),
    timeoutMs: checkTimeout(timeoutMs),
    retries: readRetries(retry),
    headers: { "user-agent": `postdate-client/${version}`, ...checkHeaders(headers) },
  };
}

/** The key, the client or neither. None of these errors shows what was given: it is a secret. */
function readCredential(
  key: string | undefined,
  clientId: string | undefined,
  clientSecret: string | undefined,
): string | ClientSecret | undefined {
  if ((clientId ?? clientSecret) !== undefined) {
    const isWhole = key === undefined && clientId && clientSecret;
    check(isWhole, "Give either key, or both clientId and clientSecret.");
    return { clientId, clientSecret };
  }
  const chosen = key ?? environment("POSTDATE_KEY");
  return chosen === undefined ? chosen : checkText("key", chosen, 8_192);
}

/** Leaves out the version of the API, which `postdate dev` prints with the address: all paths begin with it. */
function readUrl(text: string): string {
  const href = URL.canParse(text) ? new URL(text).href : "";
  // `fetch` would tell the password in its errors.
  check(
    /^https?:\/\/[^?#@]+$/.test(href),
    "url must be like https://example.com, without user, ? and #.",
  );
  return href.replace(/\/*(?:\/v1)?\/*$/, "");
}

/** Not every runtime has variables, and some ask before they show one. */
function environment(name: string): string | undefined {
  try {
    const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
    return process?.env?.[name]?.trim() || undefined;
  } catch {
    return undefined;
  }
}
