import { once } from "node:events";
import { expect, test } from "vitest";
import { expectKept } from "../../history/expect-kept.ts";
import { Chance } from "../../history/support/chance.ts";
import { apiOf, inMs } from "../../support/api.ts";
import { powerLossRun } from "./power-loss-run.ts";
import { RecordedFolder } from "./recorded-folder.ts";
import type { CutMoment } from "./recorded-folder.ts";
import { startReceiver } from "../../support/receiver.ts";
import { envWith } from "../../support/seeded-bug.ts";
import { makeDataDir, startServerProcess } from "../../support/server-process.ts";

function freshSeed(): number {
  const seed = Math.floor(Math.random() * 2 ** 32);
  process.stdout.write(`the power is cut by seed ${seed}\n`);
  return seed;
}

const anyChange = (chance: Chance): CutMoment => ({ change: chance.between(300, 3_000) });
const duringCheckpoint = (chance: Chance): CutMoment => ({
  file: "postdate.db",
  change: chance.between(1, 150),
});

test("everything acknowledged survives repeated power cuts under load", async () => {
  const moments = [anyChange, duringCheckpoint, anyChange, anyChange];
  const { history, lostWrites } = await powerLossRun({ seed: freshSeed(), moments });
  expectKept(history);
  expect(lostWrites).toBeGreaterThan(0);
});

test.each(["OFF", "NORMAL"])(
  "with synchronous = %s the run notices that acknowledged messages are lost",
  async (synchronous) => {
    const { history } = await powerLossRun({
      seed: 1,
      moments: [() => ({ change: 2_000 })],
      env: envWith({
        file: "src/storage/sqlite/database/open-database.ts",
        from: "synchronous = FULL",
        to: `synchronous = ${synchronous}`,
      }),
    });
    expect(() => expectKept(history)).toThrow(/^G1 Durable/m);
  },
);

test("after a power cut during the first start, the next start succeeds and finds its secrets", async () => {
  const chance = new Chance(freshSeed());
  await using receiver = await startReceiver();
  const moments: CutMoment[] = [
    ...[1, 2, 4].map((change) => ({ file: "encryption.key*", change })),
    ...[110, 150].map((most) => ({ change: chance.between(most - 39, most) })),
  ];
  for (const moment of moments) {
    await using dataDir = await makeDataDir();
    using folder = new RecordedFolder(dataDir.path);
    const targetId = await startUntilCut(dataDir.path, folder.env(moment), receiver.url);
    folder.cutPower(chance);
    const server = await startServerProcess({ dataDir: dataDir.path });
    await using _end = { [Symbol.asyncDispose]: () => server.kill() };
    if (targetId === undefined) continue;
    const api = apiOf(server.url);
    const body = { targetId, deliveryTime: inMs(0), payload: "after the cut" };
    expect((await api("POST", "/v1/messages", { body })).status).toBe(200);
    await receiver.received(1, ({ headers }) => headers["postdate-target"] === targetId);
  }
});

const mostTargets = 50;

/** Returns the target if the server acknowledged it before the cut. */
async function startUntilCut(
  dataDir: string,
  env: Record<string, string>,
  url: string,
): Promise<string | undefined> {
  const server = await startServerProcess({ dataDir, env }).catch(() => undefined);
  if (server === undefined) return undefined;
  const api = apiOf(server.url);
  const ended = once(server.process, "exit");
  let kept: string | undefined;
  for (let count = 0; server.process.signalCode === null; count++) {
    if (count === mostTargets) throw new Error("the power was never cut");
    const made = await api("POST", "/v1/targets", { body: { url } }).catch(() => undefined);
    if (made?.status === 200) kept = made.body.targetId;
  }
  await ended;
  return kept;
}
