import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Bench } from "../phase.ts";
import { openDatabaseReadings } from "../processes/database-readings.ts";
import { startService } from "../service.ts";
import { prepareDrain } from "./drain.ts";

/** A store with messages that are due much later. No server runs on it. */
export interface Backlog {
  readonly dataDir: string;
  readonly databaseUrl: string | null;
  /** The targets of a later spike. */
  readonly targetIds: readonly string[];
  readonly bytesOnDisk: number;
}

const atATime = 500_000;

/** Schedules through the API like any caller, so the backlog is a realistic one. */
export async function prepareBacklog(bench: Bench, size: number): Promise<Backlog> {
  const { load, say } = bench;
  const service = await startService(bench);
  const { targetIds } = await prepareDrain(bench, service);
  const { urls, dataDir, databaseUrl } = service;
  const from = performance.now();
  for (let filled = 0; filled < size;) {
    const count = Math.min(atATime, size - filled);
    await load.call("fill", { urls, count });
    filled += count;
    const perSecond = Math.round((filled * 1_000) / (performance.now() - from));
    say(`${filled.toLocaleString("en")} of ${size.toLocaleString("en")} scheduled, ${perSecond}/s`);
  }
  for (const server of service.servers) await server.stop();
  const bytesOnDisk = await sizeOnDisk(dataDir, databaseUrl);
  return { dataDir, databaseUrl, targetIds, bytesOnDisk };
}

async function sizeOnDisk(dataDir: string, databaseUrl: string | null): Promise<number> {
  const database = await openDatabaseReadings(databaseUrl);
  if (database !== null) {
    const bytes = await database.bytesOnDisk();
    await database.close();
    return bytes;
  }
  return folderBytes(dataDir);
}

export async function folderBytes(folder: string): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(folder)) bytes += (await stat(join(folder, name))).size;
  return bytes;
}
