import type { AttemptReport } from "../../domain/attempt.ts";
import { AddressRefused, LookupFailed } from "../network/network-failures.ts";
import type { WebhookOutcome } from "./webhook-outcomes.ts";

/** A failure between the TCP connection and the end of the TLS handshake. */
export class TlsFailed extends Error {
  constructor(cause: Error) {
    super(`the TLS handshake failed: ${describeTlsError(cause)}`, { cause });
  }
}

/** The attempt that needed this connection is over. */
export class AttemptOver extends Error {
  constructor() {
    super("the attempt is over");
  }
}

export const stoppedText = "the server stopped before the target answered";

/** The record of a failure without an answer. */
export function failureReport(outcome: WebhookOutcome, error: string): AttemptReport {
  return { outcome, statusCode: null, error, response: null, retryAfterMs: null };
}

/** The record of an attempt that cannot even begin. */
export function misconfigured(error: string): AttemptReport {
  return failureReport("MISCONFIGURED", error);
}

/** Translates an error of the connection, of the protocol or of undici into the attempt's report. */
export function reportOf(error: Error): AttemptReport {
  if (error instanceof AddressRefused) return failureReport("ADDRESS_REFUSED", error.message);
  if (error instanceof LookupFailed) return failureReport("DNS_FAILED", error.message);
  if (error instanceof TlsFailed) return failureReport("TLS_FAILED", error.message);
  const code = codeOf(error);
  if (code.startsWith("ERR_SSL_") || code.startsWith("ERR_TLS_") || code === "EPROTO") {
    return failureReport("TLS_FAILED", `TLS failed: ${describeTlsError(error)}`);
  }
  return failureReport("CONNECTION_FAILED", connectionErrorText(error, code));
}

const connectionErrorTexts: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the target refused the connection",
  ECONNRESET: "the target reset the connection before it answered",
  EPIPE: "the target closed the connection before it answered",
  ETIMEDOUT: "the target's host did not answer",
  EHOSTUNREACH: "the target's host cannot be reached",
  ENETUNREACH: "the target's network cannot be reached",
  UND_ERR_SOCKET: "the target closed the connection before it answered",
  UND_ERR_HEADERS_OVERFLOW: "the target answered with more than 16 KiB of headers",
  UND_ERR_DESTROYED: stoppedText,
  UND_ERR_CLOSED: stoppedText,
};

function connectionErrorText(error: Error, code: string): string {
  const known = connectionErrorTexts[code];
  if (known !== undefined) return known;
  if (error.name === "HTTPParserError") return `the target's answer is not HTTP/1.1 (${code})`;
  return `the connection to the target failed (${code === "" ? error.name : code})`;
}

/** If several addresses were tried, uses the first one's failure. */
function codeOf(error: Error): string {
  if (error instanceof AggregateError && error.errors[0] instanceof Error) {
    return codeOf(error.errors[0]);
  }
  return "code" in error && typeof error.code === "string" ? error.code : "";
}

const longestDetail = 200;

/** OpenSSL's messages contain file names and line numbers. Its reasons do not. */
function describeTlsError(error: Error): string {
  const reason = "reason" in error && typeof error.reason === "string" ? error.reason : undefined;
  const code = codeOf(error);
  const detail = (reason ?? error.message).replace(/[^ -~]+/g, " ").slice(0, longestDetail);
  return code === "" ? detail : `${detail} (${code})`;
}
