import { rootKey } from "./server-process.ts";

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The body as text. `body` is the same, parsed if it is JSON. */
  readonly text: string;
  // Tests check the raw answers of the service, so the body has no type.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

export interface CallOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly key?: string | null;
}

export type Api = (method: string, path: string, options?: CallOptions) => Promise<ApiAnswer>;

/** Sends plain HTTP to a server, without any client code of this project. */
export function apiOf(url: string, defaultKey: string = rootKey): Api {
  return async (method, path, { body, headers = {}, key = defaultKey } = {}) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : {
            body:
              typeof body === "string" || body instanceof Uint8Array
                ? (body as string)
                : JSON.stringify(body),
          }),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.includes("json") ?? false;
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== "" ? JSON.parse(text) : undefined,
    };
  };
}

export const inMs = (delayMs: number): string => new Date(Date.now() + delayMs).toISOString();
