import { ApiError, ConnectionError, InputError, Postdate, TimeoutError } from "@postdate/client";
import { codes } from "../../domain/refusals.ts";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import { redirected } from "../failures/network-trouble.ts";
import { unreachable } from "../failures/unreachable.ts";
import { durationText } from "../terminal/duration-text.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import type { Access } from "./choose-access.ts";

export interface ClientOptions extends Access, Pick<Surroundings, "fetch" | "version"> {
  /** How often a call is tried; three times if not given. */
  readonly tries?: number;
}

/** A person waits, so a service that is away is reported after a moment. */
const retry = { initialMs: 200, maxMs: 1_000 };

export function openClient({ url, key, fetch, version, tries = 3 }: ClientOptions): Postdate {
  return new Postdate({
    url,
    key,
    fetch,
    retry: { ...retry, tries },
    gather: false,
    headers: { "user-agent": `postdate-cli/${version}` },
  });
}

/** Codes that mean that the named thing does not exist, with any status. */
const notFoundCodes = new Set<string>([
  codes.messageTargetNotFound,
  codes.targetNotFound,
  codes.messageNotFound,
]);

/** What an error of the client means for a command. Anything else is a bug, and stays as it is. */
export function asCommandFailure(
  error: unknown,
  { url, advice }: Pick<ClientOptions, "url" | "advice">,
): unknown {
  if (error instanceof ApiError) return refusal(error, advice);
  if (error instanceof InputError) return new CommandFailed(exitCodes.usage, error.message);
  if (error instanceof TimeoutError) {
    const waited = durationText(error.timeoutMs);
    return new CommandFailed(
      exitCodes.unreachable,
      `No answer from ${url} within ${waited}. The request may still have taken effect.`,
    );
  }
  return error instanceof ConnectionError ? disconnection(error, url) : error;
}

function refusal({ status, errors }: ApiError, advice: string): CommandFailed {
  const lines = errors.map(
    ({ code, message, field }) => `${code}: ${message}${field === undefined ? "" : ` (${field})`}`,
  );
  if (status === 401) lines.push(advice);
  const nothingThere = status === 404 || errors.some(({ code }) => notFoundCodes.has(code));
  const exitCode = nothingThere ? exitCodes.notFound : exitCodes.refused;
  return new CommandFailed(exitCode, ...lines).because(errors);
}

function disconnection(error: ConnectionError, url: string): CommandFailed {
  const { status, cause } = error;
  if (status === null) {
    // The client's reason does not name the host.
    return unreachable(url, Object.assign(cause as Error, { hostname: new URL(url).hostname }));
  }
  const isRedirect = status === 0 || (status >= 300 && status < 400);
  const message = isRedirect
    ? `Cannot reach ${url}: ${redirected}.`
    : `${url} answered ${status} with something that is not from Postdate. Check --url or POSTDATE_URL.`;
  return new CommandFailed(exitCodes.unreachable, message);
}
