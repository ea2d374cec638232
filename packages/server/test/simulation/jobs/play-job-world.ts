import type { Store } from "../../../src/storage/store.ts";
import { schedule } from "../../../src/storage/conformance/harness.ts";
import { judgeTold } from "../world/judge-told.ts";
import { makeMove, settle } from "../world/make-move.ts";
import type { Move } from "../world/moves.ts";
import { openWorld } from "../world/open-world.ts";
import type { OpenWorld, RunOptions } from "../world/open-world.ts";
import { scenarioOf } from "../world/scenario.ts";
import type { Scenario } from "../world/scenario.ts";
import { seededRandom } from "../world/seeded-random.ts";
import { JobCaller } from "./job-caller.ts";
import { judgeJobs } from "./judge-jobs.ts";

export interface JobWorldRun {
  /** Broken promises and unexpected errors. */
  readonly problems: readonly string[];
  readonly traceHash: string;
  readonly jobs: number;
  readonly stops: number;
  readonly faults: number;
}

const minute = 60_000;
const hour = 60 * minute;
const mostTargets = 4;
/** Far enough ahead that no message becomes due, whatever the jobs do. */
const awayMs = 60 * 24 * hour;

const faultKinds: ReadonlySet<Move["kind"]> = new Set([
  "weather",
  "crash",
  "restart",
  "freeze",
  "cut-off",
  "strike",
  "clock",
]);

/**
 * A world with the nodes and faults of an ordinary one, whose callers have jobs shift messages, and stop,
 * pause and resume them.
 */
export async function playJobWorld(seed: string, options: RunOptions = {}): Promise<JobWorldRun> {
  const scenario = jobScenarioOf(seed);
  const opened = await openWorld(scenario, options);
  const { world, database, trace, runs } = opened;
  const { time, callers, sky } = world;
  const random = seededRandom(`${seed}/jobs`);
  const scheduled = await scheduleAll(opened, scenario, seed);
  for (const move of scenario.moves) time.after(move.at, () => makeMove(world, move));
  const timesNow = () =>
    new Map(
      database
        .snapshot()
        .messages.map(({ message }) => [message.messageId, message.nextDeliveryTime!]),
    );
  const jobCallers = scenario.targets.map(
    ({ accountId, targetId }) =>
      new JobCaller({
        time,
        random: random.fork(targetId),
        runs,
        timesNow,
        accountId,
        targetId,
      }),
  );
  for (const caller of jobCallers) void caller.begin();
  await time.passUntil(time.monotonic() + scenario.endsAt);
  const endings = jobCallers.map((caller) => caller.finish());
  await settle(world, scenario, () => jobCallers.every(({ isOver }) => isOver));
  await callers.hangUp();
  const problems = [...callers.bugs, ...database.problems];
  if (jobCallers.some(({ isOver }) => !isOver)) problems.push("a job goes on without end");
  else await Promise.all(endings);
  const finally_ = timesNow();
  const jobs = jobCallers.flatMap((caller) => caller.jobs);
  const messages = scheduled.map((message) => ({
    ...message,
    finallyAt: finally_.get(message.messageId)!,
  }));
  problems.push(...jobCallers.flatMap(({ bugs }) => bugs), ...judgeJobs({ messages, jobs }));
  problems.push(...judgeTold(database.snapshot(), options));
  return {
    problems,
    traceHash: trace.digest(),
    jobs: jobs.length,
    stops: jobs.filter(({ stopped }) => stopped !== null).length,
    faults: sky.faults.length,
  };
}

/** An hour at most: there is little to see of a job afterwards. */
function jobScenarioOf(seed: string): Scenario {
  for (let number = 0; ; number++) {
    const scenario = scenarioOf(`${seed}/${number}`, "liveness");
    if (scenario.endsAt > hour) continue;
    return {
      ...scenario,
      retentionMs: 365 * 24 * hour,
      accounts: scenario.accounts.map((account) => ({ ...account, monthlyLimit: null })),
      targets: scenario.targets.slice(0, mostTargets),
      moves: scenario.moves.filter(({ kind }) => faultKinds.has(kind)),
    };
  }
}

async function scheduleAll({ world, database }: OpenWorld, scenario: Scenario, seed: string) {
  const { time } = world;
  const random = seededRandom(`${seed}/messages`);
  const keeper: Store = database.open({
    nodeId: "keeper",
    retentionMs: scenario.retentionMs,
    idempotencyRetentionMs: hour,
    leaseMs: scenario.leaseMs,
  });
  const all: { messageId: string; targetId: string; scheduledFor: number }[] = [];
  for (const { accountId, targetId } of scenario.targets) {
    for (let count = random.pick([1, 20, 199, 450]); count > 0; count--) {
      // Some are due at the same instant.
      const scheduledFor = time.now() + awayMs + random.between(0, 300) * 100;
      const { messageId } = await schedule(keeper, targetId, scheduledFor, { accountId });
      all.push({ messageId, targetId, scheduledFor });
    }
  }
  return all;
}
