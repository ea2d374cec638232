import { ApiError, ConnectionError, type ErrorObject, type Scope } from "@postdate/client";
import { serverUrl } from "../place.ts";
import { fetchWithCookie } from "./fetch-with-cookie.ts";

/** What a browser has after it signed in; not its secret id. */
export interface Session {
  readonly accountId: string;
  readonly keyId: string;
  readonly scopes: readonly Scope[];
  readonly creationTime: string;
  readonly expirationTime: string;
}

/** Only browsers have sessions, so the client, which is made for programs, has no methods for them. */
async function call(method: "GET" | "POST" | "DELETE", body?: object): Promise<Session> {
  const answer = await fetchWithCookie(`${serverUrl}/v1/session`, {
    method,
    ...(body !== undefined && {
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
  }).catch((cause: unknown) => {
    throw unreachable(null, cause);
  });
  const content = (await answer.json().catch(() => ({}))) as Session & { errors?: ErrorObject[] };
  if (answer.ok) return content;
  if (content.errors === undefined) throw unreachable(answer.status);
  const requestId = answer.headers.get("x-request-id");
  const { status } = answer;
  throw new ApiError({ status, errors: content.errors, requestId, retryAfterMs: null });
}

function unreachable(status: number | null, cause?: unknown): ConnectionError {
  const circumstances = { status, cause, retryAfterMs: null, mayHaveTakenEffect: true };
  return new ConnectionError("The server cannot be reached.", circumstances);
}

export const signIn = (key: string): Promise<Session> => call("POST", { key });
export const getSession = (): Promise<Session> => call("GET");
export const signOut = (): Promise<Session> => call("DELETE");
