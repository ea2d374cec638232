import { cpus, loadavg } from "node:os";
import { startDatabase } from "./postgres.ts";
import { startReceiver, startServer } from "./processes.ts";
import type { BenchReceiver, BenchServer } from "./processes.ts";

/** What every benchmark of a whole service can be told. */
export const serviceOptions = {
  store: { type: "string", default: "sqlite" },
  nodes: { type: "string", default: "1" },
  json: { type: "boolean", default: false },
} as const;

export interface BenchService {
  readonly servers: readonly BenchServer[];
  readonly receiver: BenchReceiver;
  readonly description: string;
  close(): Promise<void>;
}

/** So many nodes on one store, and a receiver. */
export async function startService({
  store,
  nodes,
}: {
  readonly store: string;
  readonly nodes: string;
}): Promise<BenchService> {
  const database = store === "postgres" ? await startDatabase() : null;
  const servers: BenchServer[] = [];
  while (servers.length < Number(nodes)) servers.push(await startServer(database?.url ?? null));
  const receiver = await startReceiver();
  return {
    servers,
    receiver,
    description: `${store}, ${servers.length} node(s)`,
    async close() {
      receiver.close();
      for (const server of servers) await server.close();
      await database?.close();
    },
  };
}

export function printResult(
  measured: Readonly<Record<string, string | number>>,
  { json }: { readonly json: boolean },
): void {
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? "cpu"}, load ${loadavg()[0]?.toFixed(2)}`;
  const result = { ...measured, machine };
  const width = Math.max(...Object.keys(result).map((name) => name.length));
  const lines = Object.entries(result).map(([name, value]) => `${name.padEnd(width)} ${value}`);
  console.log(json ? JSON.stringify(result) : lines.join("\n"));
}
