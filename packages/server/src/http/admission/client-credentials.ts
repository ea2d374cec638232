import { OAuthRefused } from "../../domain/oauth.ts";

export interface GivenCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

interface ClientFields {
  readonly client_id?: string | undefined;
  readonly client_secret?: string | undefined;
}

const scheme = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i;

/** Reads the credentials of an OAuth client, from either the header or the body. Refuses credentials in both. */
export function clientCredentials(
  authorization: string | undefined,
  { client_id: clientId, client_secret: clientSecret }: ClientFields,
): GivenCredentials {
  if (authorization === undefined) {
    if (clientId === undefined || clientSecret === undefined) throw unknown();
    return { clientId, clientSecret };
  }
  const inHeader = credentialsInHeader(authorization);
  if (inHeader === undefined) throw unknown();
  if (clientSecret !== undefined || (clientId !== undefined && clientId !== inHeader.clientId)) {
    throw new OAuthRefused(
      "invalid_request",
      "Send the client's id and secret either in the Authorization header or in the body.",
    );
  }
  return inHeader;
}

/** The client form-encodes id and secret before it joins them (RFC 6749, section 2.3.1). */
function credentialsInHeader(authorization: string): GivenCredentials | undefined {
  const encoded = scheme.exec(authorization)?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const colon = text.indexOf(":");
  if (colon === -1) return undefined;
  const clientId = formDecoded(text.slice(0, colon));
  const clientSecret = formDecoded(text.slice(colon + 1));
  if (clientId === undefined || clientSecret === undefined) return undefined;
  return { clientId, clientSecret };
}

function formDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}

function unknown(): OAuthRefused {
  return new OAuthRefused(
    "invalid_client",
    "Send the client's id and secret, as Authorization: Basic or as client_id and client_secret in the body.",
  );
}
