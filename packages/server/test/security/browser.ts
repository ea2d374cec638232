import type { ApiAnswer } from "../support/api.ts";
import type { Subject } from "./subject.ts";

type Headers = Readonly<Record<string, string>>;

/** What a browser adds to a request of a page of the server, and what the console adds itself. */
export const ownPage: Headers = { "sec-fetch-site": "same-origin", "postdate-console": "1" };

export interface Browser {
  signIn(key: string, headers?: Headers): Promise<ApiAnswer>;
  /** Signs in with the key, and returns the cookie as `name=value`. */
  cookieFor(key: string): Promise<string>;
  /** A request of the console with a cookie. */
  ask(cookie: string, method: string, path: string, body?: unknown): Promise<ApiAnswer>;
}

export function browserOf({ service }: Pick<Subject, "service">): Browser {
  const signIn: Browser["signIn"] = (key, headers = ownPage) =>
    service.api("POST", "/v1/session", { key: null, headers, body: { key } });
  return {
    signIn,
    async cookieFor(key) {
      const answer = await signIn(key);
      if (answer.status !== 200) throw new Error(`sign-in: ${answer.text}`);
      return answer.headers.get("set-cookie")!.split(";", 1)[0]!;
    },
    ask: (cookie, method, path, body) =>
      service.api(method, path, {
        key: null,
        headers: { ...ownPage, cookie },
        ...(body === undefined ? {} : { body }),
      }),
  };
}
