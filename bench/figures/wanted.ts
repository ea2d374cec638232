import type { BenchOptions } from "../options.ts";
import type { Wanted } from "./figure.ts";

export type StoreName = "sqlite" | "postgres";

type Name =
  | "single"
  | "batch"
  | "gathered"
  | "gatheredBatch"
  | "withOptions"
  | "drain"
  | "latenessP50"
  | "latenessP99"
  | "early"
  | "pendingSingle"
  | "pendingDrain"
  | "pendingBatch"
  | "memoryMiB"
  | "memoryUnderLoadMiB"
  | "memoryAfterLoadMiB"
  | "storeGrowth"
  | "readyMs"
  | "diskBytes"
  | "idleCpu"
  | "othersP99"
  | "jobs"
  | "besideJobsP99"
  | "lastRunAfterMs"
  | "besideSchedulesP99"
  | "slowestStatistic"
  | "besideStatisticsP99"
  | "slowestOfConsole"
  | "besideConsoleP99"
  | "withEvents"
  | "heardP99";

/** What the service should reach: ratios to a limit of the same run, and a few plain bounds. */
const wanted: Record<StoreName, Partial<Record<Name, Wanted>>> = {
  sqlite: {
    single: { atLeast: 0.7 },
    batch: { atLeast: 0.55 },
    gathered: { atLeast: 2.5 },
    gatheredBatch: { atLeast: 0.5 },
    withOptions: { atLeast: 0.7 },
    drain: { atLeast: 0.5 },
    latenessP50: { atMost: 2 },
    latenessP99: { atMost: 5 },
    early: { atMost: 0 },
    pendingSingle: { atLeast: 0.85 },
    pendingDrain: { atLeast: 0.85 },
    pendingBatch: { atLeast: 0.4 },
    memoryMiB: { atMost: 200 },
    memoryUnderLoadMiB: { atMost: 250 },
    memoryAfterLoadMiB: { atMost: 150 },
    storeGrowth: { atMost: 1.1 },
    readyMs: { atMost: 1_000 },
    diskBytes: { atMost: 600 },
    idleCpu: { atMost: 0.5 },
    othersP99: { atMost: 50 },
    jobs: { atLeast: 2_000 },
    besideJobsP99: { atMost: 50 },
    lastRunAfterMs: { atMost: 0 },
    besideSchedulesP99: { atMost: 50 },
    slowestStatistic: { atMost: 1_000 },
    besideStatisticsP99: { atMost: 50 },
    slowestOfConsole: { atMost: 1_000 },
    besideConsoleP99: { atMost: 50 },
    withEvents: { atLeast: 0.75 },
    heardP99: { atMost: 250 },
  },
  postgres: {
    single: { atLeast: 0.45 },
    batch: { atLeast: 0.45 },
    gathered: { atLeast: 2.5 },
    gatheredBatch: { atLeast: 0.5 },
    withOptions: { atLeast: 0.7 },
    drain: { atLeast: 0.3 },
    latenessP50: { atMost: 4 },
    latenessP99: { atMost: 15 },
    early: { atMost: 0 },
    pendingSingle: { atLeast: 0.8 },
    pendingDrain: { atLeast: 0.8 },
    pendingBatch: { atLeast: 0.4 },
    memoryMiB: { atMost: 200 },
    memoryUnderLoadMiB: { atMost: 250 },
    memoryAfterLoadMiB: { atMost: 150 },
    storeGrowth: { atMost: 1.1 },
    readyMs: { atMost: 1_000 },
    diskBytes: { atMost: 900 },
    idleCpu: { atMost: 0.5 },
    jobs: { atLeast: 1_500 },
    besideJobsP99: { atMost: 50 },
    lastRunAfterMs: { atMost: 0 },
    besideSchedulesP99: { atMost: 50 },
    slowestStatistic: { atMost: 1_000 },
    besideStatisticsP99: { atMost: 50 },
    slowestOfConsole: { atMost: 1_000 },
    besideConsoleP99: { atMost: 50 },
    withEvents: { atLeast: 0.75 },
    heardP99: { atMost: 1_000 },
  },
};

/** What holds however many nodes there are. */
const ofAnyNodes: ReadonlySet<Name> = new Set(["heardP99"]);

/**
 * The bounds of one node, on the disk that is there and with as many callers as usual. There are few yet for
 * several nodes on the same cores.
 */
export function wantedOf(
  { store, nodes, callers, diskMs }: Pick<BenchOptions, "store" | "nodes" | "callers" | "diskMs">,
  name: Name,
): Wanted | undefined {
  const isUsual = callers === undefined && diskMs === 0;
  const isBound = isUsual && (nodes === 1 || ofAnyNodes.has(name));
  return isBound ? wanted[store][name] : undefined;
}
