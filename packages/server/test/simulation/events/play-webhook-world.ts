import { isWanted } from "../../../src/domain/events/event-endpoint.ts";
import type { EndpointChange, EventFilter } from "../../../src/domain/events/event-endpoint.ts";
import { farFuture, makeTarget, note, schedule } from "../../../src/storage/conformance/harness.ts";
import type { Store } from "../../../src/storage/store.ts";
import { judgeWebhook } from "../../history/events/judge-webhooks.ts";
import { createModelDatabase } from "../model-store/model-database.ts";
import type { StoreFault } from "../model-store/with-faults.ts";
import { seededRandom } from "../world/seeded-random.ts";
import type { SeededRandom } from "../world/seeded-random.ts";
import type { SimulatedProcess } from "../world/simulated-process.ts";
import { SimulatedTime } from "../world/simulated-time.ts";
import { CourierProcess } from "./courier-process.ts";
import { SimulatedWebhooks } from "./simulated-webhooks.ts";

export type WebhookDefect = "takes-failure-for-success" | "reads-off-by-one";

export interface WebhookWorldRun {
  /** Broken promises and unexpected errors. */
  readonly problems: readonly string[];
  readonly requests: number;
  readonly repeats: number;
  readonly deaths: number;
  readonly rewinds: number;
}

const minute = 60_000;
const hour = 60 * minute;
const leaseMs = 10_000;
const faultsForMs = 10 * minute;
/** The longest delay has passed by then. */
const settlesForMs = 10 * minute;

const filters: readonly EventFilter[] = [
  { types: ["message.*"], targetIds: null, labels: null },
  { types: ["message.scheduled"], targetIds: ["t"], labels: null },
  { types: ["message.cancelled"], targetIds: null, labels: null },
];

/**
 * Nodes send events to webhooks while receivers fail, nodes die and stand still, the store does not answer, and callers
 * pause, resume and rewind. Then all of it ends, and everything must arrive.
 */
export async function playWebhookWorld(
  seed: string,
  defect?: WebhookDefect,
): Promise<WebhookWorldRun> {
  const random = seededRandom(seed);
  const time = new SimulatedTime();
  const clocks = { clock: time, timers: time };
  const database = createModelDatabase({
    ...clocks,
    random: random.fork("store"),
    selfCheck: true,
  });
  const open = (nodeId: string, rest: object = {}): Store => {
    const kept = { retentionMs: hour, idempotencyRetentionMs: hour };
    const store = database.open({ nodeId, leaseMs, ...kept, ...rest });
    if (defect !== "reads-off-by-one") return store;
    return {
      ...store,
      readEvents: (accountId, { after, ...page }) =>
        store.readEvents(accountId, { after: after + (after % 7 === 3 ? 1 : 0), ...page }),
    };
  };
  let troubled = true;
  const openStore = (process: SimulatedProcess, nodeId: string): Store =>
    open(nodeId, {
      ...{ clock: process, timers: process },
      faults: {
        get dead() {
          return process.dead;
        },
        next: () => faultOf(random, troubled),
      },
    });
  const lies = defect === "takes-failure-for-success" ? defect : undefined;
  const webhooks = new SimulatedWebhooks(time, random.fork("webhooks"), lies);
  let deaths = 0;
  const onDied = (nodeId: string): void => {
    deaths++;
    database.crash(nodeId);
  };
  const nodes = Array.from({ length: random.between(1, 3) }, (_, index) => {
    const parts = { time, webhooks, openStore, onDied };
    return new CourierProcess({ ...parts, name: `n${index}`, random: random.fork(`n${index}`) });
  });

  const keeper = open("keeper");
  const endpoints = await setUp(keeper, random);
  for (const node of nodes) node.start();
  webhooks.mood = random.pick([0.3, 0.7, 0.95]);
  let rewinds = 0;
  const problems: string[] = [];
  const later = (at: number, act: () => Promise<unknown> | void): void =>
    void time.after(at, () => {
      Promise.resolve(act()).catch((error: unknown) => problems.push(String(error)));
    });
  for (let count = random.between(20, 120); count > 0; count--) {
    later(random.between(0, faultsForMs), async () => {
      const accountId = random.pick(["acc_a", "acc_b"]);
      const { messageId } = await schedule(keeper, "t", farFuture, { accountId });
      if (random.happens(0.3)) await keeper.cancelMessage({ accountId, messageId, waitMs: 0 });
    });
  }
  for (let count = random.between(0, 12); count > 0; count--) {
    later(random.between(0, faultsForMs), async () => {
      const ref = random.pick(endpoints);
      const change = random.pick<EndpointChange>([
        { paused: true },
        { paused: false, revived: true },
        { position: 0 },
        { maxBatch: random.between(1, 10) },
      ]);
      if (change.position !== undefined) rewinds++;
      await keeper.updateEndpoint(ref, change, null, note({ accountId: ref.accountId }));
      random.pick(nodes).note(ref);
    });
  }
  for (let count = random.between(0, 6); count > 0; count--) {
    later(random.between(0, faultsForMs), () => {
      const node = random.pick(nodes);
      if (random.happens(0.5)) node.freeze(random.between(1, 30) * 1_000);
      else node.kill(random.between(0, 20) * 1_000);
    });
  }

  await time.passUntil(faultsForMs + minute);
  troubled = false;
  webhooks.mood = 1;
  for (const ref of endpoints) {
    await keeper.updateEndpoint(ref, { paused: false }, null, note({ accountId: ref.accountId }));
  }
  await time.passUntil(faultsForMs + minute + settlesForMs);
  const judged = await Promise.all(
    endpoints.map(async (ref) => ({
      endpointId: ref.endpointId,
      wanted: await wantedOf(keeper, ref),
      arrivals: webhooks.arrivals.filter(({ endpointId }) => endpointId === ref.endpointId),
    })),
  );
  problems.push(...database.problems, ...judged.flatMap(judgeWebhook));
  const sent = webhooks.arrivals.flatMap(({ endpointId, eventIds }) =>
    eventIds.map((eventId) => `${endpointId} ${eventId}`),
  );
  const repeats = sent.length - new Set(sent).size;
  return { problems, requests: webhooks.arrivals.length, repeats, deaths, rewinds };
}

async function setUp(store: Store, random: SeededRandom) {
  const refs: { readonly accountId: string; readonly endpointId: string }[] = [];
  for (const accountId of ["acc_a", "acc_b"]) {
    await store.ensureAccount(accountId, accountId);
    await makeTarget(store, "t", { accountId });
    for (let count = random.between(1, 4); count > 0; count--) {
      const endpointId = `${accountId}_${count}`;
      await store.createEndpoint(
        {
          ...{ accountId, endpointId, kind: "webhook", filter: random.pick(filters) },
          ...{ sealedSettings: "settings", sealedSecrets: "secrets" },
          maxBatch: random.between(1, 10),
        },
        note({ accountId }),
      );
      refs.push({ accountId, endpointId });
    }
  }
  return refs;
}

async function wantedOf(
  store: Store,
  ref: { readonly accountId: string; readonly endpointId: string },
): Promise<string[]> {
  const endpoint = (await store.getEndpoint(ref))!;
  const all = { after: endpoint.startPosition, limit: 10_000 };
  const { events } = (await store.readEvents(ref.accountId, all))!;
  return events.filter((event) => isWanted(endpoint.filter, event)).map(({ eventId }) => eventId);
}

function faultOf(random: SeededRandom, troubled: boolean): StoreFault {
  const beforeMs = random.happens(0.3) ? random.between(0, 40) : 0;
  const afterMs = random.happens(0.3) ? random.between(0, 40) : 0;
  const kinds = ["fails-before", "fails-after", "happens-late"] as const;
  const kind = troubled && random.happens(0.08) ? random.pick(kinds) : "fine";
  return { kind, beforeMs, afterMs };
}
