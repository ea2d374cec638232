import { setTimeout as sleep } from "node:timers/promises";
import type { Figure } from "../figures/figure.ts";
import { median, percentile } from "../figures/medians.ts";
import { plain } from "../figures/table.ts";
import { wantedOf } from "../figures/wanted.ts";
import type { Bench, Phase } from "../phase.ts";
import { openDatabaseReadings } from "../processes/database-readings.ts";
import type { DatabaseReadings } from "../processes/database-readings.ts";
import { residentMiB } from "../processes/process-times.ts";
import { addTargets, startService } from "../service.ts";
import type { Service } from "../service.ts";
import { folderBytes } from "./backlog.ts";
import { leadMs } from "./steady-lateness.ts";

const group = "soak";
const perSecond = 500;
const periods = 10;
/** The first period fills the store, and in the second one the first messages are removed. */
const early = [2, 3, 4];
const late = [7, 8, 9];
const restMs = 45_000;

/** What one retention period has shown. */
interface Period {
  readonly residentMiB: number;
  readonly storeMiB: number;
  readonly lateMs: readonly number[];
}

/** Does anything grow that should not, while messages come, end and are removed at a steady rate? */
export const soak: Phase = {
  name: "soak",
  about: `${perSecond} messages a second through ten retention periods, and rest after it`,
  boundMs: ({ retentionSeconds }) => 180_000 + periods * retentionSeconds * 1_000,
  async measure(bench) {
    const { options, load, receiver, say } = bench;
    const periodMs = options.retentionSeconds * 1_000;
    const service = await startService(bench, ["--retention", `${options.retentionSeconds}s`]);
    const targetIds = await addTargets(bench, service, { group, count: 20 });
    const database = await openDatabaseReadings(service.databaseUrl);
    if (database !== null) bench.opened.defer(() => database.close());
    await receiver.call("forget", undefined);
    const startAt = Date.now() + leadMs + 500;
    const count = (perSecond * periods * periodMs) / 1_000;
    const steady = { urls: service.urls, targetIds, perSecond, count, startAt, leadMs };
    const scheduled = load.call("scheduleSteadily", steady);
    const seen: Period[] = [];
    while (seen.length < periods) {
      const until = startAt + (seen.length + 1) * periodMs;
      seen.push(await onePeriod(bench, { service, database, until }));
      say(`period ${seen.length}: ${await describe(seen.at(-1)!, database)}`);
    }
    await scheduled;
    const arrived = await receiver.call("arrived", { name: group, count, withinMs: 60_000 });
    if (arrived.count < count) throw new Error(`only ${arrived.count} of ${count} have arrived`);
    const atRest = await rest(bench, service);
    return figuresOf(bench, seen, atRest);
  },
};

async function onePeriod(
  { receiver }: Bench,
  {
    service,
    database,
    until,
  }: {
    readonly service: Service;
    readonly database: DatabaseReadings | null;
    readonly until: number;
  },
): Promise<Period> {
  let most = 0;
  while (Date.now() < until) {
    await sleep(Math.min(1_000, Math.max(0, until - Date.now())));
    most = Math.max(most, memoryOf(service));
  }
  const bytes = database ? (await database.growth()).bytes : await folderBytes(service.dataDir);
  const lateMs = await receiver.call("newLatenessMs", { name: group });
  if (lateMs.length === 0) throw new Error("nothing has arrived during a whole period");
  return { residentMiB: most, storeMiB: bytes / 2 ** 20, lateMs };
}

async function describe(period: Period, database: DatabaseReadings | null): Promise<string> {
  const [p50, p99] = [0.5, 0.99].map((share) => plain(percentile(period.lateMs, share)));
  const growth = await database?.growth();
  const vacuums = growth && `, ${growth.vacuums} vacuums, ${plain(growth.deadRows)} dead rows`;
  return (
    `${plain(period.residentMiB)} MiB resident, store ${plain(period.storeMiB)} MiB, ` +
    `lateness p50 ${p50} ms, p99 ${p99} ms${vacuums ?? ""}`
  );
}

/** Long enough for the expiry of what is left, and for a thread to notice that it is at rest. */
async function rest({ say }: Bench, service: Service): Promise<number> {
  say("at rest");
  await sleep(restMs);
  const resident = memoryOf(service);
  say(`${plain(resident)} MiB resident`);
  return resident;
}

/** Of the largest node. */
function memoryOf({ servers }: Service): number {
  return Math.max(...servers.map(({ pid }) => residentMiB(pid)));
}

function figuresOf({ options }: Bench, seen: readonly Period[], atRest: number): Figure[] {
  const among = (places: readonly number[], of: (period: Period) => number): number =>
    median(places.map((place) => of(seen[place]!)));
  const p99 = ({ lateMs }: Period): number => percentile(lateMs, 0.99);
  const growthOf = (of: (period: Period) => number): number => among(late, of) / among(early, of);
  const of = `periods 8 to 10 ÷ 3 to 5`;
  return [
    {
      name: "at rest after the soak, memory",
      unit: "MiB",
      value: atRest,
      wanted: wantedOf(options, "memoryAfterLoadMiB"),
    },
    { name: "store in the last period", unit: "MiB", value: seen.at(-1)!.storeMiB },
    {
      name: `store, ${of}`,
      unit: "×",
      value: growthOf(({ storeMiB }) => storeMiB),
      wanted: wantedOf(options, "storeGrowth"),
    },
    { name: `memory, ${of}`, unit: "×", value: growthOf((period) => period.residentMiB) },
    { name: `lateness p99, ${of}`, unit: "×", value: growthOf(p99) },
    { name: "lateness p99, periods 8 to 10", unit: "ms", value: among(late, p99) },
  ];
}
