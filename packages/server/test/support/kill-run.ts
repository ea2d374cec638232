import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { apiOf } from "./api.ts";
import type { History } from "./history.ts";
import { startReceiver } from "./receiver.ts";
import { makeDataDir, startServerProcess } from "./server-process.ts";
import { finalStates, startWriters } from "./writers.ts";

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
  // Some attempts fail and some take their time, so that retries and waiting calls meet the kills.
  receiver.answerWith((_, response) => {
    const chance = Math.random();
    if (chance < 0.15) response.writeHead(500).end();
    else if (chance < 0.3) setTimeout(() => response.writeHead(204).end(), 60);
    else response.writeHead(204).end();
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
  for (let kill = 0; kill < kills; kill++) {
    await sleep(lifeMs * (0.5 + Math.random()));
    await server.kill();
    server = await start();
  }
  await sleep(lifeMs);
  await writing.stop();

  const final = await finalStates(api, writing.events);
  await server.stop();
  return { events: writing.events, receipts: [...receiver.receipts], final, kills };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
