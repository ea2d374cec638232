import { setTimeout as pass } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { DatabaseMember } from "./database-member.ts";
import { expectUnharmed } from "./expect-failover.ts";
import type { Figures } from "./expect-failover.ts";
import { enough, runUnderLoad } from "./failover-run.ts";
import { startPatroniCluster } from "./patroni-cluster.ts";
import type { PatroniCluster } from "./patroni-cluster.ts";
import { isAcknowledged } from "./watched-calls.ts";
import type { WatchedCalls } from "./watched-calls.ts";

let database: PatroniCluster;
beforeAll(async () => {
  database = await startPatroniCluster();
}, 90_000);
afterAll(() => database?.[Symbol.asyncDispose]());
beforeEach(({ onTestFailed }) => {
  onTestFailed(() => void process.stdout.write(`${database.log()}\n`));
});

interface Times {
  readonly promotedMs: number;
  readonly standbyBackMs: number;
  readonly firstWriteMs: number;
}

/** Removes the primary and waits until the cluster is whole again with the roles exchanged. */
async function failOver(
  watched: WatchedCalls,
  away: (primary: DatabaseMember, standby: DatabaseMember) => Promise<void>,
  back: (primary: DatabaseMember) => Promise<void>,
  untilAloneIsSeenMs = 0,
): Promise<Times> {
  const { primary, standby, timeline } = await database.whenWhole();
  await watched.whenAcknowledged(enough, Date.now());
  await away(primary, standby);
  const lostAt = Date.now();
  const after = (): number => Date.now() - lostAt;
  expect(await database.whenPromoted(standby, timeline)).toBe(timeline + 1);
  const promotedMs = after();
  // The standby is promoted, but alone. In strict synchronous mode it accepts writes but completes none
  // before it has a standby.
  await watched.whenRefused(1, Date.now(), untilAloneIsSeenMs);
  const backAt = Date.now();
  await back(primary);
  await watched.whenAcknowledged(1, lostAt);
  const first = watched.calls.filter((call) => call.askedAt >= lostAt && isAcknowledged(call));
  const firstWriteAt = Math.min(...first.map(({ answeredAt }) => answeredAt));
  expect(firstWriteAt).toBeGreaterThan(backAt);
  await database.whenFollowed(standby, primary);
  return { promotedMs, standbyBackMs: backAt - lostAt, firstWriteMs: firstWriteAt - lostAt };
}

test("a standby stands still: writes wait, are refused in time, and resume by themselves", async () => {
  const run = await runUnderLoad(await database.createDatabase("still"), async (watched) => {
    const { standby } = await database.whenWhole();
    standby.freeze();
    // Longer than the deadline and than the nodes' leases.
    await pass(15_000);
    await watched.whenRefused(20, 0);
    standby.thaw();
  });
  report("standby frozen for 15 s", expectUnharmed(run));
});

test("the primary is killed and then its successor, with writes that no standby has", async () => {
  const times: Times[] = [];
  const restart = (primary: DatabaseMember): Promise<void> => primary.start();
  const run = await runUnderLoad(
    await database.createDatabase("killed"),
    async (watched, listening) => {
      times.push(await failOver(watched, (primary) => primary.kill(), restart, 7_900));
      const killWhileAlone = async (primary: DatabaseMember, standby: DatabaseMember) => {
        // Like other reads, they would be shown what the primary alone has, and loses.
        await listening.pause();
        standby.freeze();
        const alone = Date.now();
        const answered = () => watched.calls.filter(({ askedAt }) => askedAt >= alone).length;
        // PostgreSQL has committed these on the primary alone. If the service acknowledges one now, it is
        // lost.
        await database.cancelWaitingCommits(primary, () => answered() >= 100);
        await primary.kill();
        standby.thaw();
      };
      times.push(await failOver(watched, killWhileAlone, restart));
      listening.resume();
    },
  );
  report("primary killed twice", expectUnharmed(run), ...times);
});

test("an operator exchanges the roles", async () => {
  const run = await runUnderLoad(await database.createDatabase("exchanged"), async () => {
    const { primary, standby, timeline } = await database.whenWhole();
    await database.exchange(primary, standby);
    await database.whenPromoted(standby, timeline);
    await database.whenFollowed(standby, primary);
  });
  report("roles exchanged", expectUnharmed(run));
});

test("the primary stands still and wakes up after another has taken over", async () => {
  const times: Times[] = [];
  const run = await runUnderLoad(await database.createDatabase("frozen"), async (watched) => {
    times.push(
      await failOver(
        watched,
        async (primary) => primary.freeze(),
        async (primary) => primary.thaw(),
      ),
    );
  });
  report("primary frozen", expectUnharmed(run), ...times);
});

function report(what: string, figures: Figures, ...times: readonly Times[]): void {
  process.stdout.write(`${what}: ${JSON.stringify({ ...figures, failovers: times })}\n`);
}
