import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, vi } from "vitest";
import { apiOf } from "./api.ts";
import type { Api, ApiAnswer, CallOptions } from "./api.ts";
import { startReceiver } from "./receiver.ts";
import type { Answer, Receipt, Receiver } from "./receiver.ts";
import { makeDataDir, rootKey, startServerProcess } from "./server-process.ts";
import type { ServerProcess, ServerProcessOptions } from "./server-process.ts";

/** A target at the receiver. The test decides its answers. */
export interface ScriptedTarget {
  readonly targetId: string;
  readonly secret: string;
  readonly path: string;
  answerWith(answer: Answer): void;
  receipts(): Receipt[];
  received(count: number): Promise<Receipt[]>;
  /** Schedules a message for the target, due at once by default. Returns the Message. */
  schedule(change?: Readonly<Record<string, unknown>>): Promise<ApiAnswer["body"]>;
}

/** An account on a server, and a receiver, for all tests of a file. */
export interface ScriptedService {
  readonly url: string;
  /** The key that calls have by default. It may do everything in its account. */
  readonly key: string;
  readonly receiver: Receiver;
  readonly api: Api;
  /** Makes a target for one test. It retries quickly. */
  target(settings?: Readonly<Record<string, unknown>>): Promise<ScriptedTarget>;
  /** Waits until the message is in this state. Returns the Message. */
  reaches(messageId: string, state: string): Promise<ApiAnswer["body"]>;
  /** Makes a call that must succeed. Returns its body. */
  ok(method: string, path: string, options?: CallOptions): Promise<ApiAnswer["body"]>;
}

export interface SharedService extends ScriptedService {
  readonly server: ServerProcess;
  readonly dataDir: string;
}

/** Limits the wait for something that never happens. It says nothing about the expected speed. */
export const patiently = { timeout: 60_000, interval: 20 };

export const farAway = "2999-01-01T00:00:00.000Z";

type Access = Pick<ScriptedService, "url" | "key">;

type Options = Omit<ServerProcessOptions, "dataDir">;

/**
 * One server and one receiver for all tests of a file. The options may come from an earlier `beforeAll`.
 * A file that needs neither options nor the process itself uses `commonService`.
 */
export function sharedService(options: Options | (() => Options) = {}): SharedService {
  let server: ServerProcess;
  let path: string;
  const service = scriptedService(async (onEnd) => {
    const dataDir = await makeDataDir();
    onEnd(() => dataDir[Symbol.asyncDispose]());
    path = dataDir.path;
    const chosen = typeof options === "function" ? options() : options;
    server = await startServerProcess({ dataDir: path, ...chosen });
    onEnd(() => server.kill());
    return { url: server.url, key: rootKey };
  });
  return extended(service, {
    get server() {
      return server;
    },
    get dataDir() {
      return path;
    },
  });
}

/** `open` runs before the first test. What it hands to `onEnd` runs after the last one, in reverse. */
export function scriptedService(
  open: (onEnd: (clear: () => PromiseLike<unknown>) => void) => Promise<Access>,
): ScriptedService {
  let access: Access;
  let receiver: Receiver;
  let api: Api;
  let targets = 0;
  const answers = new Map<string, Answer>();
  const ends: (() => PromiseLike<unknown>)[] = [];

  beforeAll(async () => {
    receiver = await startReceiver();
    ends.push(() => receiver.close());
    receiver.answerWith((receipt, response) => {
      const answer = answers.get(receipt.path) ?? status(204);
      answer(receipt, response);
    });
    access = await open((clear) => void ends.push(clear));
    api = apiOf(access.url, access.key);
  });
  afterAll(async () => {
    for (const clear of ends.toReversed()) await clear();
  });

  const ok: ScriptedService["ok"] = async (method, path, call) => {
    const answer = await api(method, path, call);
    if (answer.status !== 200)
      throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  };

  return {
    get url() {
      return access.url;
    },
    get key() {
      return access.key;
    },
    get receiver() {
      return receiver;
    },
    get api() {
      return api;
    },
    ok,
    reaches: (messageId, state) =>
      vi.waitFor(async () => {
        const message = await ok("GET", `/v1/messages/${messageId}`);
        if (message.state !== state)
          throw new Error(`${messageId} is ${message.state}, not ${state}`);
        return message;
      }, patiently),
    async target(settings = {}) {
      const targetPath = `/target-${++targets}`;
      const created = await ok("POST", "/v1/targets", {
        body: {
          targetId: `target-${targets}`,
          url: receiver.url + targetPath,
          retryPolicy: { maxAttempts: 2, backoff: { kind: "list", delaysMs: [20] } },
          ...settings,
        },
      });
      const here = (receipt: Receipt): boolean => receipt.path === targetPath;
      return {
        targetId: created.targetId,
        secret: created.secret,
        path: targetPath,
        answerWith: (answer) => void answers.set(targetPath, answer),
        receipts: () => receiver.receipts.filter(here),
        received: (count) => receiver.received(count, here),
        schedule: (change = {}) =>
          ok("POST", "/v1/messages", {
            body: {
              targetId: created.targetId,
              deliveryTime: "2020-01-01T00:00:00Z",
              payload: "hello",
              ...change,
            },
          }),
      };
    },
  };
}

/** The service with further parts. Copies getters as such: what they give exists once the tests begin. */
export function extended<Service extends object, Parts extends object>(
  service: Service,
  parts: Parts,
): Service & Parts {
  return Object.defineProperties(
    parts as Service & Parts,
    Object.getOwnPropertyDescriptors(service),
  );
}

export function status(code: number, headers: Record<string, string> = {}, body = ""): Answer {
  return (_, response) => void response.writeHead(code, headers).end(body);
}

/** Accepts requests without answering. `next` returns each request, for the test to answer later. */
export function held(): { readonly answer: Answer; next(): Promise<ServerResponse> } {
  const open: ServerResponse[] = [];
  const waiting: ((response: ServerResponse) => void)[] = [];
  return {
    answer(_, response) {
      const first = waiting.shift();
      if (first) first(response);
      else open.push(response);
    },
    next() {
      const first = open.shift();
      if (first) return Promise.resolve(first);
      return new Promise((resolve) => waiting.push(resolve));
    },
  };
}
