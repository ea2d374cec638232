import { setTimeout as sleep } from "node:timers/promises";
import type { Fault } from "../history/faults.ts";
import type { Asked, Expectations, History } from "../history/history.ts";
import type { Api } from "../support/api.ts";
import { startCluster } from "../support/cluster.ts";
import type { ClusterNode } from "../support/cluster.ts";
import { takeFinalLook, targetTerms } from "../support/final-look.ts";
import { listen } from "../support/listeners/listen.ts";
import { looksIntoPostgres } from "../support/listeners/look-into-store.ts";
import { realBounds } from "../support/real-run.ts";
import { seenReceipts } from "../support/seen-receipts.ts";
import { DisturbedNode } from "./disturbed-node.ts";
import { watchMachine } from "../support/machine-watch.ts";
import { makePlan } from "./plan.ts";
import type { PlannedIntervention, PlanOptions } from "./plan.ts";
import { PlannedAnswers } from "./planned-answers.ts";
import { chanceOf } from "./seeded-chance.ts";
import { startCallers } from "./seeded-callers.ts";

const leaseMs = 10_000;
const cancelWaitMs = 500;
/** For callers that wait for the bound, a retry comes late enough to be told from a reschedule. */
const retryMs = { awaiting: 1_500, roaming: 50, contending: 300 };
const targetsOf = { awaiting: ["a-0", "a-1"], roaming: ["r-0", "r-1", "r-2"], contending: ["k-0"] };
const allTargets = Object.values(targetsOf).flat();
const failingAfter = { attempts: 3, ms: 0 };
const callers = { awaiting: 16, roaming: 16, contending: 6 };

/** What must have happened. On a busy machine the callers continue until it has, up to a limit. */
const expects: Expectations = {
  schedules: 20,
  cancels: 1,
  reschedules: 1,
  receipts: 20,
  unknowns: 0,
  takeovers: 0,
};
const lookEveryMs = 100;
const mostLooks = 300;

function isEnough(asked: readonly Asked[]): boolean {
  return (["schedule", "cancel", "reschedule"] as const).every((verb) => {
    const { length } = asked.filter((call) => call.verb === verb && call.answer.kind === "ok");
    return length >= expects[`${verb}s`];
  });
}

interface HostileRunOptions extends PlanOptions {
  /** Added to the environment of each node. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface HostileRun {
  readonly history: History;
  readonly plan: readonly PlannedIntervention[];
  /** Interventions that did not happen because no such statement came. */
  readonly unmet: readonly PlannedIntervention[];
}

/**
 * Runs real nodes on a real PostgreSQL. Each node is behind a proxy that disturbs single statements as the
 * plan says. Meanwhile callers schedule, cancel and reschedule, and targets answer at the worst moment.
 */
export async function hostileRun(
  databaseUrl: string,
  options: HostileRunOptions,
): Promise<HostileRun> {
  const { seed, forMs, env = {} } = options;
  const plan = makePlan(options);
  const faults: Fault[] = [];
  await using owned = new AsyncDisposableStack();
  const nodes: DisturbedNode[] = [];
  for (let index = 0; index < options.nodes; index++) {
    const own = plan.filter(({ node }) => node === index);
    nodes.push(owned.use(await DisturbedNode.prepare(`node ${index}`, databaseUrl, own, faults)));
  }
  const args = ["--cancel-wait", `${cancelWaitMs}ms`, "--log-level", "warn"];
  const cluster = owned.use(
    await startCluster(nodes[0]!.databaseUrl, 1, {
      nodeLease: `${leaseMs}ms`,
      args,
      env,
    }),
  );
  for (const { databaseUrl: url } of nodes.slice(1)) {
    await cluster.addNode(args, { POSTDATE_DATABASE_URL: url });
  }
  const store = looksIntoPostgres(databaseUrl);
  const runs = () => cluster.nodes.filter((_, index) => !nodes[index]!.isGone);
  const chance = chanceOf(seed, "listeners");
  const listeners = owned.use(
    await listen({
      ...{ store, chance, api: cluster.nodes[0]!.api },
      pick: () => chance.pick(runs())!.server.url,
    }),
  );
  await makeTargets(cluster.nodes[0]!, cluster.receiver.url);

  using _watch = watchMachine(faults);
  for (const [index, node] of nodes.entries()) node.begin(cluster.nodes[index]!.server);
  let turn = 0;
  const pick = (): Api => {
    const alive = runs();
    return alive[turn++ % alive.length]!.api;
  };
  const answers = new PlannedAnswers(seed, cluster.receiver);
  const awaiting = options.flavours.includes("answers-at-the-bound") ? callers.awaiting : 0;
  const calling = startCallers({
    ...callers,
    awaiting,
    seed,
    cancelWaitMs,
    targetsOf,
    answers,
    pick,
  });
  await sleep(forMs);
  for (let left = mostLooks; left > 0 && !isEnough(calling.asked); left--) await sleep(lookEveryMs);
  await calling.stop();
  await Promise.all(nodes.map((node) => node.end()));
  await sleep(1_000);

  const api = pick();
  const { versions } = await store.look();
  const final = await takeFinalLook(api, calling.asked, versions.keys());
  const history: History = {
    asked: calling.asked,
    final,
    events: await listeners.end(api, new Map(allTargets.map((id) => [id, failingAfter]))),
    receipts: seenReceipts(cluster.receiver.receipts),
    faults: [...faults],
    targets: await targetTerms(api, allTargets),
    bounds: { ...realBounds, leaseMs, changeWaitMs: cancelWaitMs },
    expects,
  };
  return { history, plan, unmet: nodes.flatMap(({ unmet }) => unmet) };
}

async function makeTargets({ api }: ClusterNode, url: string): Promise<void> {
  for (const kind of ["awaiting", "roaming", "contending"] as const) {
    const backoff = { kind: "list", delaysMs: [retryMs[kind]], jitter: 0 };
    for (const targetId of targetsOf[kind]) {
      const retryPolicy = { maxAttempts: 50, backoff };
      const body = { targetId, url, retryPolicy, failingAfter };
      const { status, text } = await api("POST", "/v1/targets", { body });
      if (status !== 200) throw new Error(`no target: ${status} ${text}`);
    }
  }
}
