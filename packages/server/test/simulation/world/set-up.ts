import type { ModelDatabase } from "../model-store/model-database.ts";
import { callerOf } from "../callers/service-line.ts";
import {
  createEndpoint,
  newEndpoint,
} from "../../../src/storage/conformance/events/event-harness.ts";
import { policyOf } from "./scenario.ts";
import type { Scenario } from "./scenario.ts";
import { seededRandom } from "./seeded-random.ts";
import { simulatedNetwork } from "./simulated-network.ts";
import { SimulatedNode } from "./simulated-node.ts";
import type { SimulatedTime } from "./simulated-time.ts";
import { Trace } from "./trace.ts";

const hour = 3_600_000;
const retention = { retentionMs: hour, idempotencyRetentionMs: hour };

/** Sets up the service as an operator would. The store answers at once, and nothing fails. */
export async function setUp(
  database: ModelDatabase,
  time: SimulatedTime,
  scenario: Scenario,
): Promise<void> {
  const setter = new SimulatedNode({
    name: "setup",
    role: "all",
    time,
    network: simulatedNetwork(time, seededRandom("setup"), new Trace()),
    random: seededRandom(`${scenario.seed}/setup`),
    trace: new Trace(),
    masterKey: seededRandom(`${scenario.seed}/run`).fork("master key").bytes(32),
    onDied() {},
    openStore: (process, nodeId) =>
      database.open({
        nodeId,
        ...retention,
        leaseMs: scenario.leaseMs,
        clock: process,
        timers: process,
      }),
  });
  setter.start();
  const { operations } = setter.run!;
  const operator = { actor: { kind: "operator", id: "operator" }, requestId: "setup" } as const;
  const made = (async () => {
    for (const { accountId, monthlyLimit } of scenario.accounts) {
      await operations.createAccount(operator, { accountId, monthlyMessageLimit: monthlyLimit });
    }
    await tellEverything(database, scenario);
    for (const target of scenario.targets) {
      await operations.createTarget(callerOf(target.accountId), {
        targetId: target.targetId,
        url: `http://${target.accountId}/`,
        timeoutMs: target.timeoutMs,
        maxConcurrency: target.maxConcurrency,
        rateLimit: target.rateLimit,
        retryPolicy: policyOf(target),
      });
    }
  })();
  await time.passUntil(time.monotonic() + 1);
  await made;
  void setter.stop();
  await time.passUntil(time.monotonic() + 1);
}

/** Whoever judges the world afterwards knows every event. */
async function tellEverything(database: ModelDatabase, { accounts }: Scenario): Promise<void> {
  const store = database.open({ nodeId: "listener", leaseMs: null, ...retention });
  for (const { accountId } of accounts)
    await createEndpoint(store, newEndpoint("all", { accountId }));
  await store.close();
}
