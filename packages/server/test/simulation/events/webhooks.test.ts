import { expect, test } from "vitest";
import { seedsOfTree } from "../seeds-of-tree.ts";
import { playWebhookWorld } from "./play-webhook-world.ts";
import type { WebhookDefect } from "./play-webhook-world.ts";

const fresh = seedsOfTree();
const freshWorlds = 12;

test(`fresh seeds ${fresh}-webhooks-0 onwards: each webhook gets all of its events, in order`, async () => {
  let [requests, repeats, deaths, rewinds] = [0, 0, 0, 0];
  for (let number = 0; number < freshWorlds; number++) {
    const seed = `${fresh}-webhooks-${number}`;
    const run = await playWebhookWorld(seed);
    if (run.problems.length > 0) expect.fail(`${seed}\n${run.problems.slice(0, 5).join("\n")}`);
    requests += run.requests;
    repeats += run.repeats;
    deaths += run.deaths;
    rewinds += run.rewinds;
  }
  process.stdout.write(
    `seeds ${fresh}-webhooks-*: ${requests} requests, ${repeats} repeats, ${deaths} deaths, ${rewinds} rewinds\n`,
  );
  expect(requests).toBeGreaterThan(freshWorlds * 10);
  expect(Math.min(repeats, deaths, rewinds)).toBeGreaterThan(0);
}, 600_000);

const defects: readonly [WebhookDefect, RegExp][] = [
  ["takes-failure-for-success", /never took|before it had taken/],
  ["reads-off-by-one", /never took|before it had taken/],
];

test.each(defects)("%s is caught", async (defect, problem) => {
  for (let number = 0; number < 10; number++) {
    const { problems } = await playWebhookWorld(`mutant-${number}`, defect);
    if (problems.length > 0) return expect(problems.join("\n")).toMatch(problem);
  }
  expect.fail(`${defect} went unnoticed in every world`);
});

test("a seed always gives the same run", async () => {
  expect(await playWebhookWorld("again")).toEqual(await playWebhookWorld("again"));
});
