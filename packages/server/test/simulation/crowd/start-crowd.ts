import { formatTime } from "../../../src/domain/times.ts";
import { createSecretBox } from "../../../src/platform/keyring.ts";
import { sealSecrets, sealSettings } from "../../../src/targets/sealed-target.ts";
import { newTarget, note } from "../../../src/storage/conformance/harness.ts";
import type { NewTarget, Store } from "../../../src/storage/store.ts";
import { callerOf } from "../callers/service-line.ts";
import { seededRandom } from "../world/seeded-random.ts";
import { createModelDatabase } from "../model-store/model-database.ts";
import { simulatedNetwork } from "../world/simulated-network.ts";
import type { Arrival, Mood } from "../world/simulated-network.ts";
import { SimulatedNode } from "../world/simulated-node.ts";
import { SimulatedTime } from "../world/simulated-time.ts";
import { Trace } from "../world/trace.ts";

export interface CrowdOptions {
  readonly maxInFlight?: number;
  /** Null if the store is embedded. */
  readonly leaseMs?: number | null;
}

export interface CrowdTarget {
  readonly accountId: string;
  readonly targetId: string;
  readonly timeoutMs?: number;
  readonly settings?: Partial<NewTarget>;
}

/** One node and its targets in simulated time, where the test arranges everything and nothing fails. */
export interface Crowd {
  readonly time: SimulatedTime;
  readonly arrivals: readonly Arrival[];
  /** How often the node has asked its store for a target by its key. */
  readonly loads: number;
  addTargets(targets: readonly CrowdTarget[]): Promise<void>;
  setMood(targetId: string, mood: Mood): void;
  /** Schedules `each` messages to every target, all due `dueInMs` from now. */
  schedule(targets: readonly CrowdTarget[], dueInMs: number, each?: number): Promise<void>;
  pass(ms: number): Promise<void>;
}

/** A call takes a moment. If a node asks again and again, time passes and the test ends. */
const callMs = 0.05;
const mostLoads = 50_000;
const neverMs = 1e9;
const batchSize = 1_000;
const hour = 3_600_000;

export async function startCrowd(options: CrowdOptions = {}): Promise<Crowd> {
  const { maxInFlight = 1_000, leaseMs = null } = options;
  const random = seededRandom("crowd");
  const time = new SimulatedTime();
  const trace = new Trace();
  const network = simulatedNetwork(time, random.fork("network"), trace);
  const database = createModelDatabase({ clock: time, timers: time, random: random.fork("store") });
  const masterKey = random.fork("master key").bytes(32);
  const secretBox = createSecretBox(masterKey, random);
  const retention = { retentionMs: hour, idempotencyRetentionMs: hour, leaseMs };
  let loads = 0;
  const node = new SimulatedNode({
    name: "node",
    role: "all",
    time,
    network,
    random,
    trace,
    masterKey,
    maxInFlight,
    onDied() {},
    openStore: (process, nodeId) =>
      database.open({
        ...retention,
        nodeId,
        clock: process,
        timers: process,
        faults: {
          dead: false,
          next(verb) {
            if (verb === "getTargetByKey") loads++;
            // A node that asks without end stops getting answers, so that the test fails and does not hang.
            const afterMs = loads > mostLoads ? neverMs : callMs;
            return { kind: "fine", beforeMs: 0, afterMs };
          },
        },
      }),
  });
  const keeper: Store = database.open({ ...retention, nodeId: "keeper" });
  const secrets = sealSecrets(secretBox, {
    current: "secret",
    previous: null,
    previousUntil: null,
  });
  const accounts = new Set<string>();
  const sealed = new Map<string, string>();
  /** Sealed once for all targets with the same settings: there may be 100,000 of them. */
  const sealedOf = (accountId: string, timeoutMs: number): string => {
    const name = `${accountId} ${timeoutMs}`;
    const known = sealed.get(name);
    if (known !== undefined) return known;
    const made = sealSettings(secretBox, {
      url: `http://${accountId}/`,
      headers: {},
      contentType: "text/plain; charset=utf-8",
      timeoutMs,
    });
    sealed.set(name, made);
    return made;
  };
  const pass = (ms: number): Promise<void> => time.passUntil(time.monotonic() + ms);
  /** Lets time pass until the work is done. */
  const settled = async (work: Promise<unknown>): Promise<void> => {
    const state = { isOver: false };
    const over = work.finally(() => (state.isOver = true));
    over.catch(() => {});
    while (!state.isOver) await pass(1);
    await over;
  };
  node.start();
  await pass(100);

  return {
    time,
    arrivals: network.arrivals,
    get loads() {
      return loads;
    },
    setMood: network.setMood,
    pass,
    async addTargets(targets) {
      for (const { accountId, targetId, timeoutMs = 15_000, settings } of targets) {
        if (!accounts.has(accountId)) await keeper.ensureAccount(accountId, accountId);
        accounts.add(accountId);
        const sealedSettings = sealedOf(accountId, timeoutMs);
        const target = newTarget(targetId, { accountId, sealedSettings, sealedSecrets: secrets });
        await keeper.createTarget({ ...target, ...settings }, note({ accountId }));
      }
    },
    async schedule(targets, dueInMs, each = 1) {
      const { operations } = node.run!;
      const deliveryTime = formatTime(time.now() + dueInMs);
      const draft = { deliveryTime, payload: "x", problems: [] };
      const byAccount = Map.groupBy(targets, ({ accountId }) => accountId);
      for (const [accountId, own] of byAccount) {
        const drafts = own.flatMap(({ targetId }) =>
          Array.from({ length: each }, () => ({ ...draft, targetId })),
        );
        for (let from = 0; from < drafts.length; from += batchSize) {
          const part = drafts.slice(from, from + batchSize);
          await settled(operations.scheduleBatch(callerOf(accountId), part, undefined));
        }
      }
    },
  };
}

export function namedTargets(count: number, accountId: string, prefix = "t"): CrowdTarget[] {
  return Array.from({ length: count }, (_, index) => ({
    accountId,
    targetId: `${prefix}${index}`,
  }));
}
