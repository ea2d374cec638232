import { parseArgs } from "node:util";
import { Caller } from "./caller.ts";
import { call, key } from "./processes.ts";
import { printResult, serviceOptions, startService } from "./service.ts";

/**
 * How many messages a second are scheduled, one per call and in batches, and how fast a spike is
 * delivered: messages that are all due at one instant, an HTTP request each. Scheduled messages have
 * due times at random over 30 days and 100 targets, the hard case for indexes.
 */
const { values } = parseArgs({
  options: {
    ...serviceOptions,
    seconds: { type: "string", default: "10" },
    callers: { type: "string", default: "64" },
    drain: { type: "string", default: "20000" },
  },
});
const seconds = Number(values.seconds);
const drained = Number(values.drain);
const targets = 100;
const batchSize = 1_000;
const monthMs = 30 * 86_400_000;
const payload = "x".repeat(200);

const service = await startService(values);
const { servers, receiver } = service;
for (let index = 0; index < targets; index++) {
  await call(servers[0]!.url, "/v1/targets", { targetId: `later-${index}`, url: receiver.url });
}
await call(servers[0]!.url, "/v1/targets", {
  targetId: "spike",
  url: receiver.url,
  maxConcurrency: 1_000,
});

say("scheduling, one per call");
const single = await rateOf(Number(values.callers), "/v1/messages", () => ({
  body: JSON.stringify(laterMessage()),
  count: 1,
}));
say("scheduling, in batches");
const batched = await rateOf(4, "/v1/messages/batch", () => ({
  body: JSON.stringify({ messages: Array.from({ length: batchSize }, laterMessage) }),
  count: batchSize,
}));
say("draining a spike");
const drain = await drainRate();

await service.close();

printResult(
  {
    store: service.description,
    singlePerSecond: Math.round(single),
    batchedPerSecond: Math.round(batched),
    drainPerSecond: Math.round(drain),
  },
  values,
);

function say(what: string): void {
  if (!values.json) console.error(`${what} …`);
}

function laterMessage() {
  return {
    targetId: `later-${Math.floor(Math.random() * targets)}`,
    deliveryTime: new Date(Date.now() + 3_600_000 + Math.random() * monthMs).toISOString(),
    payload,
  };
}

/** Messages a second that all callers together get accepted; the first second does not count. */
async function rateOf(
  callers: number,
  path: string,
  next: () => { body: string; count: number },
): Promise<number> {
  const startAt = performance.now() + 1_000;
  const endAt = startAt + seconds * 1_000;
  let accepted = 0;
  const work = async (index: number): Promise<void> => {
    const caller = await Caller.connect(servers[index % servers.length]!.url, path, key);
    for (;;) {
      const { body, count } = next();
      const { status } = await caller.post(body);
      if (status !== 200) throw new Error(`${path} answered ${status}`);
      const now = performance.now();
      if (now >= endAt) break;
      if (now >= startAt) accepted += count;
    }
    caller.close();
  };
  await Promise.all(Array.from({ length: callers }, (_, index) => work(index)));
  return accepted / seconds;
}

/** From the instant at which all are due to the arrival of the last. */
async function drainRate(): Promise<number> {
  const dueAt = Date.now() + 4_000;
  const deliveryTime = new Date(dueAt).toISOString();
  const caller = await Caller.connect(servers[0]!.url, "/v1/messages/batch", key);
  for (let done = 0; done < drained; done += batchSize) {
    const count = Math.min(batchSize, drained - done);
    const messages = Array.from({ length: count }, () => ({
      targetId: "spike",
      deliveryTime,
      payload,
    }));
    const { status } = await caller.post(JSON.stringify({ messages }));
    if (status !== 200) throw new Error(`the batch was answered with ${status}`);
  }
  caller.close();
  if (Date.now() > dueAt) throw new Error("scheduling the spike took longer than the spike waits");
  await receiver.arrived(drained, 120_000);
  const last = Math.max(...[...receiver.arrivals.values()].slice(-batchSize));
  return (drained * 1_000) / (last - dueAt);
}
