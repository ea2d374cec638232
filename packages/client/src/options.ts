import { checkHeaders, checkTimeout } from "./call-options.ts";
import { InputError } from "./input-error.ts";
import type { Fetch } from "./transport/exchange.ts";
import type { RetryOptions } from "./transport/retries.ts";
import { readRetries } from "./transport/retries.ts";
import type { TransportOptions } from "./transport/transport.ts";
import { version } from "./version.ts";

export interface PostdateOptions {
  /** Where the server is. The variable `POSTDATE_URL`, or `http://127.0.0.1:7070`, by default. */
  readonly url?: string | undefined;
  /** An API key. The variable `POSTDATE_KEY` by default. */
  readonly key?: string | undefined;
  /** Instead of a key: the id of an OAuth client, whose tokens the client gets and renews. */
  readonly clientId?: string | undefined;
  /** The secret of the OAuth client. */
  readonly clientSecret?: string | undefined;
  /** In place of the global `fetch`. */
  readonly fetch?: Fetch | undefined;
  /** The deadline over all tries of a call; 30,000 by default. */
  readonly timeoutMs?: number | undefined;
  /** How failed requests are repeated. `false` turns it off. */
  readonly retry?: RetryOptions | false | undefined;
  /** Whether `schedule()` calls that come together travel together; true by default. */
  readonly gather?: boolean | undefined;
  /** Headers of every request, besides those of the client. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Names your program in the server's log, before the name of the client. */
  readonly userAgent?: string | undefined;
}

const defaultUrl = "http://127.0.0.1:7070";
const defaultTimeoutMs = 30_000;

export interface CredentialOptions {
  readonly key?: string;
  readonly client?: { readonly id: string; readonly secret: string };
}

export function readTransportOptions(options: PostdateOptions): TransportOptions {
  const { fetch: given, userAgent } = options;
  if (given !== undefined && typeof given !== "function") {
    throw new InputError("fetch must be a function such as the global fetch.");
  }
  const ours = `postdate-client/${version}`;
  return {
    url: readUrl(options.url ?? environment("POSTDATE_URL") ?? defaultUrl),
    // Looked up at each call: programs replace the global fetch.
    fetch: given ? (url, init) => given(url, init) : (url, init) => fetch(url, init),
    timeoutMs: checkTimeout(options.timeoutMs ?? defaultTimeoutMs),
    retries: readRetries(options.retry),
    headers: checkHeaders({
      "user-agent": userAgent === undefined ? ours : `${userAgent} ${ours}`,
      ...options.headers,
    }),
  };
}

/** None of these errors shows what was given: it is a secret. */
export function readCredentials({
  key,
  clientId,
  clientSecret,
}: PostdateOptions): CredentialOptions {
  if (clientId !== undefined || clientSecret !== undefined) {
    if (key !== undefined) {
      throw new InputError("Give either key, or clientId and clientSecret, not both.");
    }
    if (!clientId || !clientSecret) {
      throw new InputError("clientId and clientSecret belong together: give both.");
    }
    return { client: { id: clientId, secret: clientSecret } };
  }
  const chosen = key ?? environment("POSTDATE_KEY");
  if (chosen === undefined) return {};
  if (typeof chosen !== "string" || !/^[\x21-\x7e]+$/.test(chosen)) {
    throw new InputError("key must be an API key such as pd_…: visible ASCII without spaces.");
  }
  return { key: chosen };
}

function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new InputError("url must be an address such as https://postdate.example.com.");
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new InputError(
      "url must have no user name, password, ? or #. Give the credential as key.",
    );
  }
  return url.href.replace(/\/+$/, "");
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
