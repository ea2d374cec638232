import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Caller } from "./caller.ts";
import { call, key } from "./processes.ts";
import { printResult, serviceOptions, startService } from "./service.ts";

/**
 * How late messages arrive when each is due at an instant of its own: from `deliveryTime` to the
 * arrival of the request's headers at a receiver in another process.
 */
const { values } = parseArgs({
  options: {
    ...serviceOptions,
    rate: { type: "string", default: "500" },
    seconds: { type: "string", default: "20" },
    // Not counted: a server that has just started runs code that is not compiled yet.
    warmup: { type: "string", default: "5" },
  },
});
const rate = Number(values.rate);
const uncounted = rate * Number(values.warmup);
const total = uncounted + rate * Number(values.seconds);
const leadMs = 2_000;
const payload = "x".repeat(200);

const service = await startService(values);
const { servers, receiver } = service;
await call(servers[0]!.url, "/v1/targets", { targetId: "bench", url: receiver.url });

const startAt = Date.now() + leadMs;
const dueAt = new Map<string, number>();
const scheduling: Promise<void>[] = [];
/** Connections to each node that nobody is using. */
const idle: Caller[][] = servers.map(() => []);
for (let index = 0; index < total; index++) {
  const due = startAt + Math.round((index * 1_000) / rate);
  const waitMs = due - leadMs - Date.now();
  if (waitMs > 0) await sleep(waitMs);
  scheduling.push(schedule(index % servers.length, due, index >= uncounted));
}
await Promise.all(scheduling);
await receiver.arrived(total, 30_000);
for (const caller of idle.flat()) caller.close();
await service.close();

const late = [...dueAt]
  .map(([messageId, due]) => receiver.arrivals.get(messageId)! - due)
  .toSorted((a, b) => a - b);
const at = (share: number): number =>
  Math.round(late[Math.min(late.length - 1, Math.floor(share * late.length))]! * 100) / 100;
printResult(
  {
    messages: late.length,
    store: service.description,
    perSecond: rate,
    early: late.filter((lateness) => lateness < 0).length,
    minMs: at(0),
    p50Ms: at(0.5),
    p90Ms: at(0.9),
    p99Ms: at(0.99),
    maxMs: at(1),
  },
  values,
);

async function schedule(node: number, due: number, counted: boolean): Promise<void> {
  const caller =
    idle[node]!.pop() ?? (await Caller.connect(servers[node]!.url, "/v1/messages", key));
  const { status, body } = await caller.post(
    JSON.stringify({ targetId: "bench", deliveryTime: new Date(due).toISOString(), payload }),
  );
  if (status !== 200) throw new Error(`scheduling was answered with ${status}: ${body}`);
  idle[node]!.push(caller);
  if (counted) dueAt.set((JSON.parse(body) as { messageId: string }).messageId, due);
}
