import { setTimeout as sleep } from "node:timers/promises";
import type { Figure } from "../figures/figure.ts";
import type { Bench, Phase } from "../phase.ts";
import { processorMs } from "../processes/process-times.ts";
import { openDatabaseReadings } from "../processes/database-readings.ts";
import { startService } from "../service.ts";
import type { Service } from "../service.ts";
import { prepareDrain } from "./drain.ts";

const callers = 64;

/** The cost of one message: processor time and, on PostgreSQL, commits and write-ahead log. */
export const cost: Phase = {
  name: "cost",
  about: "the cost of scheduling (one per call) and delivering, for each message",
  boundMs: () => 120_000,
  async measure(bench) {
    const { load, receiver, options, say } = bench;
    const count = options.quick ? 5_000 : 20_000;
    const service = await startService(bench);
    const { targetIds, urls } = await prepareDrain(bench, service);
    const reading = await readingsOf(bench, service);
    const runOnce = async (each: number): Promise<Figure[]> => {
      await receiver.call("forget", undefined);
      // Twice the time that a slow machine needs. Messages that become due earlier would be delivered
      // during scheduling.
      const dueAt = Date.now() + 2_000 + each;
      const start = await reading();
      const spike = { urls, targetIds, count: each, dueAt, callers, batch: 1 };
      const { endedAt } = await load.call("scheduleAt", spike);
      const scheduled = await reading();
      if (endedAt > dueAt) throw new Error("scheduling took longer than the messages wait");
      await sleep(dueAt - endedAt);
      const awaited = { name: "spike", count: each, withinMs: 60_000 };
      const arrived = await receiver.call("arrived", awaited);
      if (arrived.count < each) throw new Error(`only ${arrived.count} of ${each} have arrived`);
      await sleep(500);
      const delivered = await reading();
      return [
        ...perMessage("scheduling one", start, scheduled, each),
        ...perMessage("delivering one", scheduled, delivered, each),
      ];
    };
    say("warming up");
    await runOnce(Math.round(count / 4));
    say("measuring");
    return runOnce(count);
  },
};

export type Readings = Readonly<Record<string, number>>;

/** Reads what the service has cost until now. */
export async function readingsOf(bench: Bench, service: Service): Promise<() => Promise<Readings>> {
  const database = await openDatabaseReadings(service.databaseUrl);
  if (database !== null) bench.opened.defer(() => database.close());
  return async () => ({
    "node, CPU µs": 1_000 * service.servers.reduce((sum, { pid }) => sum + processorMs(pid), 0),
    ...(await database?.read()),
  });
}

function perMessage(name: string, from: Readings, to: Readings, count: number): Figure[] {
  return Object.keys(from).map((what) => ({
    name: `${name}: ${what}`,
    unit: "",
    value: (to[what]! - from[what]!) / count,
  }));
}
