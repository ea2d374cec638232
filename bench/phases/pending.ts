import { comparedFigure } from "../figures/figure.ts";
import type { Figure } from "../figures/figure.ts";
import { median, percentile } from "../figures/medians.ts";
import { wantedOf } from "../figures/wanted.ts";
import type { Bench, Phase } from "../phase.ts";
import { residentMiB } from "../processes/process-times.ts";
import { addTargets, startNodes } from "../service.ts";
import type { Service } from "../service.ts";
import { inTurns } from "../turns.ts";
import { measureAtRest } from "./at-rest.ts";
import { prepareBacklog } from "./backlog.ts";
import type { Backlog } from "./backlog.ts";
import { drainedPerSecond } from "./drain.ts";
import { batchedPerSecond } from "./schedule-batches.ts";
import { singlesPerSecond } from "./schedule-single.ts";
import { steadyLateness } from "./steady-lateness.ts";

const few = 10_000;
/** Short, because the measurement itself adds to the few messages. */
const batchesMs = 1_200;
const steady = { group: "steady", perSecond: 500, seconds: 20 };
/** Lasts a little longer than the steady messages. */
const laterBeside = { perSecond: 2_000, seconds: 23 };

export const pending: Phase = {
  name: "pending",
  about: "what a large backlog costs",
  boundMs: ({ pending }) => 900_000 + (pending ?? 0) * 0.2,
  async measure(bench) {
    const { options, say } = bench;
    const many = await prepareBacklog(bench, options.pending!);
    const bytes = many.bytesOnDisk / options.pending!;
    const { service, readyMs } = await startSeveralTimes(bench, many);
    const withMany = (name: string): string =>
      `${options.pending!.toLocaleString("en")} pending: ${name}`;
    const atRest = await measureAtRest(bench, service);
    const smaller = await prepareBacklog(bench, few);
    const smallService = await startNodes(bench, smaller);
    const compared = await compare(
      bench,
      { ...many, service },
      { ...smaller, service: smallService },
    );
    const late = await measureLateness(bench, service);
    say("done");
    const after = residentMiB(service.servers[0]!.pid);
    const figures: Figure[] = [
      { name: "start to ready", unit: "ms", value: readyMs, wanted: wantedOf(options, "readyMs") },
      { name: "disk", unit: "bytes each", value: bytes, wanted: wantedOf(options, "diskBytes") },
      ...atRest,
      ...compared,
      ...late,
      { name: "memory after that", unit: "MiB", value: after },
    ];
    return figures.map((figure) => ({ ...figure, name: withMany(figure.name) }));
  },
};

/** Starts three times and keeps the last server. */
async function startSeveralTimes(
  bench: Bench,
  backlog: Backlog,
): Promise<{ readonly service: Service; readonly readyMs: number }> {
  const times: number[] = [];
  for (;;) {
    const service = await startNodes(bench, backlog);
    times.push(service.servers[0]!.readyMs);
    bench.say(`ready after ${Math.round(times.at(-1)!)} ms`);
    if (times.length === 3) return { service, readyMs: median(times) };
    for (const server of service.servers) await server.stop();
  }
}

type Running = Backlog & { readonly service: Service };

async function compare(bench: Bench, many: Running, few: Running): Promise<Figure[]> {
  const { options, say } = bench;
  const spikeOf = ({ service, targetIds }: Running) => ({ urls: service.urls, targetIds });
  const measures = {
    single: (one: Running) => singlesPerSecond(bench, one.service.urls),
    drain: (one: Running) => drainedPerSecond(bench, spikeOf(one), options.spike),
    batch: (one: Running) => batchedPerSecond(bench, one.service.urls, batchesMs),
  };
  const named = {
    single: { name: "schedule one per call", wanted: wantedOf(options, "pendingSingle") },
    drain: { name: "drain", wanted: wantedOf(options, "pendingDrain") },
    batch: { name: "schedule in batches", wanted: wantedOf(options, "pendingBatch") },
  };
  const figures: Figure[] = [];
  for (const kind of ["single", "drain", "batch"] as const) {
    const measure = measures[kind];
    // Not counted: each warms up first.
    for (const one of [few, many]) await measure(one);
    const measured = await inTurns(
      options.turns,
      { few: () => measure(few), many: () => measure(many) },
      (turn, name, value) => say(`${kind}, turn ${turn}: ${name} ${Math.round(value)}/s`),
    );
    figures.push(
      comparedFigure({ ...named[kind], unit: "/s" }, measured.many, {
        name: "with 10,000",
        values: measured.few,
      }),
    );
  }
  return figures;
}

/**
 * Measures lateness while many messages are scheduled that are due much later, each on a different
 * page.
 */
async function measureLateness(bench: Bench, service: Service): Promise<Figure[]> {
  const { urls } = service;
  const targetIds = await addTargets(bench, service, { group: steady.group, count: 4 });
  bench.say("lateness");
  const [lateMs] = await Promise.all([
    steadyLateness(bench, { ...steady, urls, targetIds }),
    bench.load.call("scheduleLaterSteadily", { ...laterBeside, urls }),
  ]);
  const name = `lateness at ${steady.perSecond}/s while ${laterBeside.perSecond.toLocaleString("en")}/s are scheduled`;
  return [
    { name: `${name}, p50`, unit: "ms", value: percentile(lateMs, 0.5) },
    { name: `${name}, p99`, unit: "ms", value: percentile(lateMs, 0.99) },
  ];
}
