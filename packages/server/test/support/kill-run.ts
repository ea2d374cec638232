import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Fault } from "../history/faults.ts";
import type { History } from "../history/history.ts";
import { apiOf } from "./api.ts";
import { takeFinalLook, targetTerms } from "./final-look.ts";
import { answerUnsteadily, busyRun, realBounds } from "./real-run.ts";
import { startReceiver } from "./receiver.ts";
import { seenReceipts } from "./seen-receipts.ts";
import { makeDataDir, startServerProcess } from "./server-process.ts";
import { startWriters } from "./writers.ts";

export interface KillRunOptions {
  readonly writers: number;
  readonly kills: number;
  /** How long a server lives before it is killed. */
  readonly lifeMs: number;
}

/** Writers that never stop asking, and a server that is killed under them again and again. */
export async function killRun({ writers, kills, lifeMs }: KillRunOptions): Promise<History> {
  await using dataDir = await makeDataDir();
  await using receiver = await startReceiver();
  let whenHeld: (() => void) | undefined;
  const answer = answerUnsteadily(60);
  receiver.answerWith((receipt, response) => {
    if (whenHeld === undefined) return answer(receipt, response);
    // Held until the kill comes, so that each finds something to interrupt.
    whenHeld();
    whenHeld = undefined;
  });
  const port = await freePort();
  const start = () =>
    startServerProcess({
      dataDir: dataDir.path,
      args: ["--port", String(port), "--log-level", "warn"],
    });
  let server = await start();
  const api = apiOf(server.url);
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
    await new Promise<void>((resolve) => (whenHeld = resolve));
    const at = Date.now();
    await server.kill();
    server = await start();
    faults.push({ kind: "crash", node: "server", at, backAt: Date.now() });
  }
  await sleep(lifeMs);
  await writing.stop();

  const final = await takeFinalLook(api, writing.asked);
  const targets = await targetTerms(api);
  await server.stop();
  return {
    asked: writing.asked,
    receipts: seenReceipts(receiver.receipts),
    faults,
    targets,
    final,
    bounds: { ...realBounds, leaseMs: null, takeoverMs: null },
    expects: busyRun,
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
