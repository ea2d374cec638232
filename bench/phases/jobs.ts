import { setTimeout as sleep } from "node:timers/promises";
import type { Figure } from "../figures/figure.ts";
import { percentile } from "../figures/medians.ts";
import { wantedOf } from "../figures/wanted.ts";
import type { Bench, Phase } from "../phase.ts";
import { getJson, postJson } from "../processes/server.ts";
import { addTarget, addTargets, startService } from "../service.ts";
import type { Service } from "../service.ts";
import { leadMs, steadyLateness } from "./steady-lateness.ts";

const group = "steady";
const perSecond = 500;
/** The most that a job may be allowed, so that the service is the limit. */
const ratePerSecond = 10_000;
/** The traffic lasts for as long as a job takes that is half as fast as wanted. */
const slowestPerSecond = 1_000;
const dayMs = 86_400_000;
/** The messages of a target are spread over many instants, as in a real backlog. */
const instants = 100;
const lookEveryMs = 20;

const actions = {
  cancel: { action: "cancel" },
  shift: { action: "shift", byMs: dayMs },
  redrive: { action: "redrive", stopAfterFailures: 1_000_000 },
} as const;

type Action = keyof typeof actions;

export const jobs: Phase = {
  name: "jobs",
  about: `jobs that change many messages, beside ${perSecond} deliveries a second`,
  boundMs: () => 1_200_000,
  async measure(bench) {
    const { options, say } = bench;
    const count = options.quick ? 10_000 : 100_000;
    const service = await startService(bench);
    const targetIds = await addTargets(bench, service, { group, count: 4 });
    const traffic = { group, targetIds, urls: service.urls, perSecond };
    say("warming up");
    await steadyLateness(bench, { ...traffic, seconds: options.quick ? 5 : 30 });
    const figures: Figure[] = [];
    for (const action of Object.keys(actions) as Action[]) {
      await prepare[action](bench, service, action, count);
      say(`${action}: measuring`);
      const startAt = Date.now() + leadMs + 500;
      const seconds = count / slowestPerSecond;
      const [lateMs, tookMs] = await Promise.all([
        steadyLateness(bench, { ...traffic, startAt, seconds }),
        sleep(startAt - Date.now()).then(() => runJob(service, action, count)),
      ]);
      const jobsPerSecond = (count * 1_000) / tookMs;
      say(`${action}: ${Math.round(jobsPerSecond)}/s`);
      // Messages arrive in the order of their times: these were due while the job ran.
      const beside = lateMs.slice(0, Math.floor((tookMs * perSecond) / 1_000));
      figures.push(
        {
          name: `${action} ${count.toLocaleString("en")} by a job`,
          unit: "/s",
          value: jobsPerSecond,
          wanted: wantedOf(options, "jobs"),
        },
        { name: `beside it, lateness p50`, unit: "ms", value: percentile(beside, 0.5) },
        {
          name: `beside it, lateness p99`,
          unit: "ms",
          value: percentile(beside, 0.99),
          wanted: wantedOf(options, "besideJobsP99"),
        },
      );
    }
    return figures;
  },
};

type Prepare = (bench: Bench, service: Service, name: string, count: number) => Promise<void>;

/** What a job of each action needs before it begins. */
const prepare: Record<Action, Prepare> = {
  cancel: scheduleLater,
  shift: scheduleLater,
  redrive: makeDeadLetters,
};

async function scheduleLater(
  bench: Bench,
  service: Service,
  targetId: string,
  count: number,
): Promise<void> {
  bench.say(`${targetId}: scheduling ${count.toLocaleString("en")}`);
  await addTarget(bench, service, { targetId, group: "later" });
  await scheduleFrom(bench, service, { targetId, count, from: Date.now() + dayMs });
}

/** The target is paused afterwards, so that the messages stay where the job puts them. */
async function makeDeadLetters(
  bench: Bench,
  service: Service,
  targetId: string,
  count: number,
): Promise<void> {
  bench.say(`${targetId}: making ${count.toLocaleString("en")} dead letters`);
  const url = service.urls[0]!;
  await addTarget(bench, service, { targetId, group: "refuse", retryPolicy: { maxAttempts: 1 } });
  await scheduleFrom(bench, service, { targetId, count, from: Date.now() });
  const body = { ...actions.redrive, filter: { targetId }, dryRun: true };
  for (let found = 0; found < count;) {
    await sleep(1_000);
    found = ((await postJson(url, "/v1/jobs", body)) as { count: number }).count;
  }
  await postJson(url, `/v1/targets/${targetId}/pause`, undefined);
}

async function scheduleFrom(
  { load }: Bench,
  { urls }: Service,
  spread: { readonly targetId: string; readonly count: number; readonly from: number },
): Promise<void> {
  const { targetId, count, from } = spread;
  for (let instant = 0; instant < instants; instant++) {
    const part = { urls, targetIds: [targetId], count: count / instants, dueAt: from + instant };
    await load.call("scheduleAt", part);
  }
}

/** How long it takes until all messages have changed. A redrive then waits for outcomes. */
async function runJob({ urls }: Service, action: Action, count: number): Promise<number> {
  const from = performance.now();
  const body = { ...actions[action], filter: { targetId: action }, ratePerSecond };
  const { jobId } = (await postJson(urls[0]!, "/v1/jobs", body)) as { jobId: string };
  for (;;) {
    const job = (await getJson(urls[0]!, `/v1/jobs/${jobId}`)) as { done: number; state: string };
    if (job.done === count) return performance.now() - from;
    if (job.state !== "RUNNING") throw new Error(`${action}: ${JSON.stringify(job)}`);
    await sleep(lookEveryMs);
  }
}
