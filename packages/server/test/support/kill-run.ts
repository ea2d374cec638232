import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { apiOf } from "./api.ts";
import type { Api } from "./api.ts";
import type { Event, FinalState, History } from "./history.ts";
import { startReceiver } from "./receiver.ts";
import { makeDataDir, startServerProcess } from "./server-process.ts";

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

  const events: Event[] = [];
  const stop = new AbortController();
  const writing = Array.from({ length: writers }, (_, index) =>
    write(api, `writer-${index}`, events, stop.signal),
  );
  for (let kill = 0; kill < kills; kill++) {
    await sleep(lifeMs * (0.5 + Math.random()));
    await server.kill();
    server = await start();
  }
  await sleep(lifeMs);
  stop.abort();
  await Promise.all(writing);

  const ids = new Set(events.flatMap((event) => event.messageId ?? []));
  const final = new Map<string, FinalState | undefined>();
  for (const messageId of ids) final.set(messageId, await finalState(api, messageId));
  await server.stop();
  return { events, receipts: [...receiver.receipts], final, kills };
}

async function write(api: Api, name: string, events: Event[], stop: AbortSignal): Promise<void> {
  for (let count = 0; !stop.aborted; count++) {
    const key = `${name}-${count}`;
    const dueAt = Date.now() + Math.floor(Math.random() * 800);
    const messageId = await scheduleUntilKnown(api, key, dueAt, events);
    if (Math.random() < 0.2) {
      const movedTo = Date.now() + Math.floor(Math.random() * 800);
      await note("reschedule", movedTo, `/v1/messages/${messageId}/reschedule`, {
        deliveryTime: new Date(movedTo).toISOString(),
      });
    }
    if (Math.random() < 0.4) await note("cancel", dueAt, `/v1/messages/${messageId}/cancel`);

    async function note(
      verb: "cancel" | "reschedule",
      due: number,
      path: string,
      body?: unknown,
    ): Promise<void> {
      const askedAt = Date.now();
      const answer = await api("POST", path, { body }).then(
        ({ status }) => (status === 200 ? "ok" : status < 500 ? "refused" : "unknown"),
        () => "unknown" as const,
      );
      events.push({ verb, key, messageId, dueAt: due, askedAt, answeredAt: Date.now(), answer });
    }
  }
}

/** A lost answer is asked for again, with the same key, until it comes. */
async function scheduleUntilKnown(
  api: Api,
  key: string,
  dueAt: number,
  events: Event[],
): Promise<string> {
  for (;;) {
    const askedAt = Date.now();
    const common = { verb: "schedule", key, dueAt, askedAt } as const;
    try {
      const { status, body } = await api("POST", "/v1/messages", {
        body: { targetId: "t", deliveryTime: new Date(dueAt).toISOString(), payload: key },
        headers: { "idempotency-key": key },
      });
      if (status === 200) {
        const messageId = body.messageId as string;
        events.push({ ...common, messageId, answeredAt: Date.now(), answer: "ok" });
        return messageId;
      }
    } catch {
      await sleep(20);
    }
    events.push({ ...common, messageId: null, answeredAt: Date.now(), answer: "unknown" });
  }
}

async function finalState(api: Api, messageId: string): Promise<FinalState | undefined> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const { status, body } = await api("GET", `/v1/messages/${messageId}`);
    if (status === 404) return undefined;
    if (body.state !== "SCHEDULED" || Date.now() > deadline) {
      const attempts = await api("GET", `/v1/messages/${messageId}/attempts`);
      const { state, deliveryFailureCount } = body;
      const failed = attempts.body.attempts.filter(
        ({ outcome }: { outcome: string }) => outcome !== "DELIVERED",
      );
      return { state, deliveryFailureCount, failedAttempts: failed.length };
    }
    await sleep(20);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
