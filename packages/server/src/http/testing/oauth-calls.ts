import type { LightMyRequestResponse } from "fastify";
import type { TestApi } from "./open-test-api.ts";

export interface TestClient {
  readonly clientId: string;
  readonly clientSecret: string;
}

export type Fields = Readonly<Record<string, string>>;

export interface Post {
  readonly fields?: Fields | string;
  /** Null: no header. Left out: the credentials of the client. */
  readonly authorization?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

export const grant = { grant_type: "client_credentials" };

export const basic = ({ clientId, clientSecret }: TestClient): string =>
  `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`;

/** Calls of an OAuth client, and of a caller with its tokens. */
export interface OAuthCalls {
  makeClient(...scopes: string[]): Promise<TestClient>;
  post(url: string, given?: Post): Promise<LightMyRequestResponse>;
  ask(fields?: Fields, rest?: Omit<Post, "fields">): Promise<LightMyRequestResponse>;
  tokenOf(client?: TestClient): Promise<string>;
  /** Lists the targets with this token and returns the status. */
  reads(token: string): Promise<number>;
}

export function oauthCalls(api: () => TestApi, own: () => TestClient): OAuthCalls {
  const post: OAuthCalls["post"] = (url, { fields = {}, authorization, headers = {} } = {}) => {
    const sent = authorization === undefined ? basic(own()) : authorization;
    return api().app.inject({
      method: "POST",
      url,
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        ...(sent === null ? {} : { authorization: sent }),
        ...headers,
      },
      payload: typeof fields === "string" ? fields : new URLSearchParams(fields).toString(),
    });
  };
  const ask: OAuthCalls["ask"] = (fields = {}, rest = {}) =>
    post("/oauth/token", { fields: { ...grant, ...fields }, ...rest });
  return {
    post,
    ask,
    async makeClient(...scopes) {
      const body = { name: "test", scopes };
      const made = await api().call({ method: "POST", url: "/v1/clients", body });
      return made.json<TestClient>();
    },
    async tokenOf(client = own()) {
      const answer = await ask({}, { authorization: basic(client) });
      return answer.json<{ access_token: string }>().access_token;
    },
    async reads(token) {
      return (await api().call({ url: "/v1/targets", key: token })).statusCode;
    },
  };
}
