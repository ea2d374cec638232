import { setTimeout as sleep } from "node:timers/promises";
import { comparedFigure } from "../figures/figure.ts";
import { wantedOf } from "../figures/wanted.ts";
import type { UndiciLimitCalls } from "../limits/undici-posts.ts";
import type { Bench, Phase } from "../phase.ts";
import { startChild } from "../processes/start-child.ts";
import { addTargets, startService } from "../service.ts";
import type { Service } from "../service.ts";
import { inTurns } from "../turns.ts";

const group = "spike";
const targets = 4;
/** As many as the targets allow at once with their default limits. */
const connections = targets * 50;
const boundMs = 60_000;

export const drain: Phase = {
  name: "drain",
  about: "delivering a spike that is due at one instant",
  boundMs: () => 300_000,
  async measure(bench) {
    const { options, receiverUrl: url } = bench;
    const undici = startChild<UndiciLimitCalls>("limits/undici-posts.ts");
    bench.opened.defer(() => undici.close());
    const count = options.spike;
    const spike = await prepareDrain(bench, await startService(bench));
    const posts = () => undici.call("postsPerSecond", { url, count, connections });
    await posts();
    await drainedPerSecond(bench, spike, count / 2);
    const measured = await inTurns(
      options.turns,
      { undici: posts, service: () => drainedPerSecond(bench, spike, count) },
      (turn, name, value) => bench.say(`turn ${turn}: ${name} ${Math.round(value)}/s`),
    );
    return [
      comparedFigure(
        {
          name: `drain ${count.toLocaleString("en")}`,
          unit: "/s",
          wanted: wantedOf(options, "drain"),
        },
        measured.service,
        { name: "bare undici", values: measured.undici },
      ),
    ];
  },
};

export interface Drain {
  readonly urls: readonly string[];
  readonly targetIds: readonly string[];
}

export async function prepareDrain(bench: Bench, service: Service): Promise<Drain> {
  const targetIds = await addTargets(bench, service, { group, count: targets });
  return { urls: service.urls, targetIds };
}

/** Counts from the instant at which all are due to the arrival of the last. */
export async function drainedPerSecond(
  { load, receiver }: Bench,
  drain: Drain,
  count: number,
): Promise<number> {
  const leadMs = 1_000 + count / 10;
  for (let lead = leadMs; lead <= 4 * leadMs; lead *= 2) {
    await receiver.call("forget", undefined);
    const dueAt = Date.now() + lead;
    const { endedAt } = await load.call("scheduleAt", { ...drain, count, dueAt });
    if (endedAt < dueAt) await sleep(dueAt - endedAt);
    const awaited = { name: group, count, withinMs: boundMs };
    const arrived = await receiver.call("arrived", awaited);
    if (arrived.count < count) throw new Error(`only ${arrived.count} of ${count} have arrived`);
    if (endedAt < dueAt) return (count * 1_000) / (arrived.lastAt - dueAt);
  }
  throw new Error("scheduling the spike takes longer than the spike can wait");
}
