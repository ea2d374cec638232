import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import type { Bench } from "./phase.ts";
import { laterGroup, laterTargets } from "./processes/requests.ts";
import { postJson, startServer } from "./processes/server.ts";
import type { BenchServer } from "./processes/server.ts";

export interface Service {
  readonly servers: readonly BenchServer[];
  readonly urls: readonly string[];
  readonly dataDir: string;
  readonly databaseUrl: string | null;
}

/** Starts the nodes on a new store, with the hundred targets of messages that are due much later. */
export async function startService(
  bench: Bench,
  settings: readonly string[] = [],
): Promise<Service> {
  const dataDir = await mkdtemp(join(bench.folder, "service-"));
  const databaseUrl = (await bench.newDatabase?.()) ?? null;
  const service = await startNodes(bench, { dataDir, databaseUrl }, settings);
  await addTargets(bench, service, { group: laterGroup, count: laterTargets });
  return service;
}

/** Starts the nodes on a store that may already hold data. */
export async function startNodes(
  bench: Bench,
  { dataDir, databaseUrl }: Pick<Service, "dataDir" | "databaseUrl">,
  settings: readonly string[] = [],
): Promise<Service> {
  const servers: BenchServer[] = [];
  while (servers.length < bench.options.nodes) {
    const server = await startServer({
      dataDir: servers.length === 0 ? dataDir : await mkdtemp(join(bench.folder, "node-")),
      databaseUrl,
      settings,
      profileDir: bench.options.profile ?? undefined,
    });
    bench.opened.defer(() => server.stop());
    servers.push(server);
    bench.servers.push(server);
  }
  return { servers, urls: servers.map(({ url }) => url), dataDir, databaseUrl };
}

/** Adds a target that delivers to the receiver, which counts it in this group. */
export async function addTarget(
  { receiverUrl }: Bench,
  { urls }: Service,
  {
    group,
    ...settings
  }: { readonly targetId: string; readonly group: string; readonly retryPolicy?: object },
): Promise<void> {
  const url = `${receiverUrl}/${group}/${settings.targetId}`;
  await postJson(urls[0]!, "/v1/targets", { ...settings, url });
}

export async function addTargets(
  bench: Bench,
  service: Service,
  { group, count }: { readonly group: string; readonly count: number },
): Promise<string[]> {
  const targetIds = Array.from({ length: count }, (_, index) => `${group}-${index}`);
  for (const targetId of targetIds) await addTarget(bench, service, { targetId, group });
  return targetIds;
}
