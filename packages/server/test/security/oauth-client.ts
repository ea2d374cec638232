import type { ApiAnswer } from "../support/api.ts";
import type { Subject } from "./subject.ts";

export interface OAuthClient {
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface ClientChoice {
  readonly scopes?: readonly string[];
  /** A key of the account that the client belongs to. */
  readonly key?: string;
}

export function createClient(
  { service }: Subject,
  { scopes = ["scheduler.all.readwrite"], key }: ClientChoice = {},
): Promise<OAuthClient> {
  const body = { name: "security suite", scopes };
  return service.ok("POST", "/v1/clients", { body, ...(key === undefined ? {} : { key }) });
}

/** Sends a form to one of the OAuth endpoints unchanged, without any credential. */
export function sendForm(
  { service }: Subject,
  path: string,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<ApiAnswer> {
  return service.api("POST", path, {
    key: null,
    body: new URLSearchParams(fields).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
  });
}

export function basic(clientId: string, clientSecret: string): { authorization: string } {
  const joined = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`;
  return { authorization: `Basic ${Buffer.from(joined).toString("base64")}` };
}

export async function ownToken(
  subject: Subject,
  { clientId, clientSecret }: OAuthClient,
): Promise<string> {
  const answer = await sendForm(
    subject,
    "/oauth/token",
    { grant_type: "client_credentials" },
    basic(clientId, clientSecret),
  );
  if (answer.status !== 200) throw new Error(`no token: ${answer.status} ${answer.text}`);
  return answer.body.access_token;
}
