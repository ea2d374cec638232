import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Instant } from "../../../src/domain/message.ts";
import { isEnough } from "../../history/expect-kept.ts";
import type { Fault } from "../../history/faults.ts";
import type { History } from "../../history/history.ts";
import { apiOf } from "../../support/api.ts";
import { takeFinalLook, targetTerms } from "../../support/final-look.ts";
import { listen } from "../../support/listeners/listen.ts";
import { looksIntoFolder } from "../../support/listeners/look-into-store.ts";
import { answerUnsteadily, busyRun, realBounds } from "../../support/real-run.ts";
import { startReceiver } from "../../support/receiver.ts";
import type { Answer, Receiver } from "../../support/receiver.ts";
import { seenReceipts } from "../../support/seen-receipts.ts";
import { makeDataDir, startServerProcess } from "../../support/server-process.ts";
import type { ServerProcess } from "../../support/server-process.ts";
import { startWriters } from "../support/writers.ts";

export interface KillRunOptions {
  readonly writers: number;
  readonly kills: number;
  /** How long a server runs before it is killed. */
  readonly lifeMs: number;
  /** Added to the environment of the server with this number, counted from 0. */
  readonly env?: (run: number, dataDir: string) => Readonly<Record<string, string>>;
  /** Ends a server and returns the time of it. The default is in the middle of an attempt. */
  readonly end?: (run: ServerRun) => Promise<Instant>;
}

/** A server that is about to end, and what it works with. */
export interface ServerRun {
  readonly number: number;
  readonly server: ServerProcess;
  readonly receiver: Receiver;
  /** How the receiver answers. */
  readonly answer: Answer;
}

/** Writers call without a pause while their server is killed again and again. */
export async function killRun({
  writers,
  kills,
  lifeMs,
  env = () => ({}),
  end = killDuringAttempt,
}: KillRunOptions): Promise<History> {
  await using dataDir = await makeDataDir();
  await using receiver = await startReceiver();
  const answer = answerUnsteadily(60);
  receiver.answerWith(answer);
  const port = await freePort();
  const start = (run: number) =>
    startServerProcess({
      dataDir: dataDir.path,
      args: ["--port", String(port), "--log-level", "warn"],
      env: env(run, dataDir.path),
    });
  let server = await start(0);
  const { url } = server;
  const api = apiOf(url);
  const store = looksIntoFolder(dataDir.path);
  await using listeners = await listen({ api, store, pick: () => url });
  await api("POST", "/v1/targets", {
    body: {
      targetId: "t",
      url: receiver.url,
      retryPolicy: { maxAttempts: 50, backoff: { kind: "list", delaysMs: [20] } },
    },
  });

  const writing = startWriters(writers, () => api);
  const faults: Fault[] = [];
  for (let kill = 0; kill < kills; kill++) {
    await sleep(lifeMs * (0.5 + Math.random()));
    const at = await end({ number: kill, server, receiver, answer });
    server = await start(kill + 1);
    faults.push({ kind: "crash", node: "server", at, backAt: Date.now() });
  }
  await sleep(lifeMs);
  while (!isEnough(writing.asked, busyRun)) await sleep(50);
  await writing.stop();

  const { versions } = await store.look();
  const final = await takeFinalLook(api, writing.asked, versions.keys());
  const targets = await targetTerms(api);
  const events = await listeners.end(api);
  await server.stop();
  return {
    asked: writing.asked,
    receipts: seenReceipts(receiver.receipts),
    faults,
    targets,
    final,
    events,
    bounds: { ...realBounds, leaseMs: null, takeoverMs: null },
    expects: busyRun,
  };
}

/** Holds one attempt until the kill, so that each kill has something to interrupt. */
async function killDuringAttempt({ server, receiver, answer }: ServerRun): Promise<Instant> {
  await new Promise<void>((resolve) => {
    receiver.answerWith(() => {
      receiver.answerWith(answer);
      resolve();
    });
  });
  const at = Date.now();
  await server.kill();
  return at;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
