import type { ClientSecret } from "./access/oauth.ts";
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
  /** Headers of every request, besides those of the client. `user-agent` may name your program. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

const defaultUrl = "http://127.0.0.1:7070";
const defaultTimeoutMs = 30_000;

export interface CredentialOptions {
  readonly key?: string;
  readonly client?: ClientSecret;
}

export function readTransportOptions(options: PostdateOptions): TransportOptions {
  const { fetch: given } = options;
  if (given !== undefined && typeof given !== "function") {
    throw new InputError("fetch must be a function.");
  }
  return {
    url: readUrl(options.url ?? environment("POSTDATE_URL") ?? defaultUrl),
    // Looked up at each call: programs replace the global fetch.
    fetch: given ? (url, init) => given(url, init) : (url, init) => fetch(url, init),
    timeoutMs: checkTimeout(options.timeoutMs ?? defaultTimeoutMs),
    retries: readRetries(options.retry),
    headers: {
      "user-agent": `postdate-client/${version}`,
      ...checkHeaders(options.headers ?? {}),
    },
  };
}

/** None of these errors shows what was given: it is a secret. */
export function readCredentials({
  key,
  clientId,
  clientSecret,
}: PostdateOptions): CredentialOptions {
  if (clientId !== undefined || clientSecret !== undefined) {
    if (key === undefined && clientId && clientSecret) {
      return { client: { clientId, clientSecret } };
    }
    throw new InputError("Give either key, or both clientId and clientSecret.");
  }
  const chosen = key ?? environment("POSTDATE_KEY");
  if (chosen === undefined) return {};
  if (/^[!-~]+$/.test(chosen)) return { key: chosen };
  throw new InputError("key must be visible ASCII without spaces.");
}

function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // `fetch` would tell the password in its errors.
  if (url === undefined || !/^https?:\/\/[^?#@]+$/.test(url.href)) {
    throw new InputError("url must be like https://postdate.example.com, without user, ? and #.");
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
