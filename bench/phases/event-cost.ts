import { setTimeout as sleep } from "node:timers/promises";
import { comparedFigure } from "../figures/figure.ts";
import type { Figure } from "../figures/figure.ts";
import type { Bench, Phase } from "../phase.ts";
import { addTargets, startService } from "../service.ts";
import type { Service } from "../service.ts";
import { readingsOf } from "./cost.ts";
import type { Readings } from "./cost.ts";
import { whileSubscribed } from "./events.ts";

const group = "spike";
/** By then the mover has moved what there was. */
const settlingMs = 2_000;
const far = 86_400_000;

/** What each message costs with an endpoint on everything. Processor times hold on a busy machine as well. */
export const eventCost: Phase = {
  name: "event-cost",
  about: "the cost of a message with an endpoint on everything, and of the same without",
  boundMs: () => 600_000,
  async measure(bench) {
    const { options, say } = bench;
    const service = await startService(bench);
    const targetIds = await addTargets(bench, service, { group, count: 4 });
    const measureOnce = await waysOf(bench, service, targetIds);
    say("warming up");
    await measureOnce();
    const told: Costs[] = [];
    const untold: Costs[] = [];
    for (let turn = 1; turn <= options.turns; turn++) {
      say(`turn ${turn}`);
      untold.push(await measureOnce());
      told.push(await whileSubscribed(service, measureOnce));
    }
    return Object.keys(told[0]!).map((name): Figure =>
      comparedFigure(
        { name, unit: "" },
        told.map((costs) => costs[name]!),
        { name: "the same without an endpoint", values: untold.map((costs) => costs[name]!) },
      ),
    );
  },
};

type Costs = Readonly<Record<string, number>>;

/** Schedules one per call and in batches, and delivers. */
async function waysOf(
  bench: Bench,
  service: Service,
  targetIds: readonly string[],
): Promise<() => Promise<Costs>> {
  const { load, receiver, options } = bench;
  const { urls } = service;
  const read = await readingsOf(bench, service);
  const count = options.quick ? 5_000 : 20_000;
  const costOf = async (name: string, each: number, work: () => Promise<void>): Promise<Costs> => {
    const from = await read();
    await work();
    await sleep(settlingMs);
    return perMessage(name, from, await read(), each);
  };
  const schedule = async (each: number, callers: number, batch: number, dueAt: number) => {
    const { endedAt } = await load.call("scheduleAt", {
      ...{ urls, targetIds, count: each, dueAt, callers, batch },
    });
    if (endedAt > dueAt) throw new Error("scheduling took longer than the messages wait");
  };
  return async () => {
    const single = await costOf("scheduling one", count, () =>
      schedule(count, 64, 1, Date.now() + far),
    );
    const batches = await costOf("scheduling one of a batch", 4 * count, () =>
      schedule(4 * count, 4, 1_000, Date.now() + far),
    );
    await receiver.call("forget", undefined);
    const dueAt = Date.now() + 4_000 + count;
    await schedule(count, 4, 1_000, dueAt);
    await sleep(Math.max(0, dueAt - 200 - Date.now()));
    const delivered = await costOf("delivering one", count, async () => {
      const arrived = await receiver.call("arrived", { name: group, count, withinMs: 60_000 });
      if (arrived.count < count) throw new Error(`only ${arrived.count} of ${count} have arrived`);
    });
    return { ...single, ...batches, ...delivered };
  };
}

function perMessage(name: string, from: Readings, to: Readings, count: number): Costs {
  return Object.fromEntries(
    Object.keys(from).map((what) => [`${name}: ${what}`, (to[what]! - from[what]!) / count]),
  );
}
