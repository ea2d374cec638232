import { setTimeout as sleep } from "node:timers/promises";
import type { Figure } from "../figures/figure.ts";
import { wantedOf } from "../figures/wanted.ts";
import type { Bench } from "../phase.ts";
import { openDatabaseReadings } from "../processes/database-readings.ts";
import { processorMs, residentMiB } from "../processes/process-times.ts";
import type { Service } from "../service.ts";

/** What the service costs while nothing is due. */
export async function measureAtRest(
  { options, opened, say }: Bench,
  { servers, databaseUrl }: Service,
): Promise<Figure[]> {
  const { pid } = servers[0]!;
  const database = await openDatabaseReadings(databaseUrl);
  if (database !== null) opened.defer(() => database.close());
  say("at rest");
  await sleep(3_000);
  const from = performance.now();
  const before = [processorMs(pid), database?.processorMs() ?? 0];
  await sleep(10_000);
  const after = [processorMs(pid), database?.processorMs() ?? 0];
  const tookMs = performance.now() - from;
  const [node, ofDatabase] = after.map((ms, index) => (100 * (ms - before[index]!)) / tookMs);
  return [
    {
      name: "CPU at rest",
      unit: "% of a core",
      value: node!,
      wanted: wantedOf(options, "idleCpu"),
    },
    ...(database === null
      ? []
      : [{ name: "CPU of the database at rest", unit: "% of a core", value: ofDatabase! }]),
    {
      name: "memory",
      unit: "MiB",
      value: residentMiB(pid),
      wanted: wantedOf(options, "memoryMiB"),
    },
  ];
}
