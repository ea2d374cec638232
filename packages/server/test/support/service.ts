import { afterEach } from "vitest";
import { apiOf } from "./api.ts";
import type { Api } from "./api.ts";
import { startReceiver } from "./receiver.ts";
import type { Receiver } from "./receiver.ts";
import { makeDataDir, startServerProcess } from "./server-process.ts";
import type { ServerProcess, ServerProcessOptions } from "./server-process.ts";

export interface ServiceUnderTest {
  readonly server: ServerProcess;
  readonly api: Api;
  readonly receiver: Receiver;
  readonly dataDir: string;
  /** Starts a server on the same data, after this one has ended. */
  restart(options?: Omit<ServerProcessOptions, "dataDir">): Promise<ServiceUnderTest>;
}

/** Gives each test its own server and receiver, and removes both at the end. */
export function services(): (
  options?: Omit<ServerProcessOptions, "dataDir">,
) => Promise<ServiceUnderTest> {
  const leftovers: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const clear of leftovers.splice(0).toReversed()) await clear();
  });

  return async (options = {}) => {
    const dataDir = await makeDataDir();
    leftovers.push(async () => dataDir[Symbol.asyncDispose]());
    const receiver = await startReceiver();
    leftovers.push(() => receiver.close());
    const start = async (
      with_: Omit<ServerProcessOptions, "dataDir">,
    ): Promise<ServiceUnderTest> => {
      const server = await startServerProcess({ dataDir: dataDir.path, ...with_ });
      leftovers.push(async () => {
        if (server.process.exitCode === null && server.process.signalCode === null)
          await server.kill();
      });
      return {
        server,
        api: apiOf(server.url),
        receiver,
        dataDir: dataDir.path,
        restart: (again = with_) => start(again),
      };
    };
    return start(options);
  };
}

export interface TargetChoice {
  readonly targetId?: string;
  readonly path?: string;
  readonly [setting: string]: unknown;
}

/** A target at the receiver that retries quickly. */
export async function addTarget(
  { api, receiver }: ServiceUnderTest,
  { path = "/", ...settings }: TargetChoice = {},
): Promise<void> {
  const { status, text } = await api("POST", "/v1/targets", {
    body: {
      targetId: "t",
      url: receiver.url + path,
      retryPolicy: { maxAttempts: 3, backoff: { kind: "list", delaysMs: [50] } },
      ...settings,
    },
  });
  if (status !== 200) throw new Error(`no target: ${status} ${text}`);
}

export async function scheduleAt(
  { api }: ServiceUnderTest,
  deliveryTime: string,
  change: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const { status, body, text } = await api("POST", "/v1/messages", {
    body: { targetId: "t", deliveryTime, payload: "hello", ...change },
  });
  if (status !== 200) throw new Error(`not scheduled: ${status} ${text}`);
  return body.messageId as string;
}
