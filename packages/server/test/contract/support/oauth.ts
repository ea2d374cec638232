import type { ApiAnswer } from "../../support/api.ts";

export interface OAuthClient {
  readonly clientId: string;
  readonly clientSecret: string;
}

export type Form = Readonly<Record<string, string>>;

/** Sends a form to an OAuth endpoint, with the client's credentials in the header if given. */
export async function postForm(
  address: string,
  form: Form,
  client?: OAuthClient,
): Promise<Omit<ApiAnswer, "text">> {
  const response = await fetch(address, {
    method: "POST",
    body: new URLSearchParams(form),
    ...(client === undefined ? {} : { headers: { authorization: basic(client) } }),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

function basic({ clientId, clientSecret }: OAuthClient): string {
  const encoded = [clientId, clientSecret].map((part) => encodeURIComponent(part)).join(":");
  return `Basic ${Buffer.from(encoded).toString("base64")}`;
}

/** Gets an access token by the client credentials grant. Fails if there is none. */
export async function accessToken(
  tokenEndpoint: string,
  client: OAuthClient,
  form: Form = {},
): Promise<string> {
  const grant = { grant_type: "client_credentials", ...form };
  const { status, body } = await postForm(tokenEndpoint, grant, client);
  if (status !== 200) throw new Error(`no token: ${status} ${JSON.stringify(body)}`);
  return body.access_token as string;
}
