import type { Figure } from "./figures/figure.ts";
import type { BenchOptions } from "./options.ts";
import { wantedOf } from "./figures/wanted.ts";
import type { Bench, Phase } from "./phase.ts";
import { mostResidentMiB } from "./processes/process-times.ts";
import type { BenchServer } from "./processes/server.ts";
import { waitUntilQuiet } from "./quiet-machine.ts";

/** Runs a phase for a limited time, and ends everything that it started. */
export async function runPhase(
  phase: Phase,
  bench: Omit<Bench, "opened" | "servers" | "say">,
): Promise<readonly Figure[]> {
  const from = performance.now();
  const say = (text: string): void => {
    const seconds = ((performance.now() - from) / 1_000).toFixed(0).padStart(4);
    console.error(`${seconds} s  ${phase.name}: ${text}`);
  };
  console.error(`\n${phase.name}: ${phase.about}`);
  await waitUntilQuiet({ boundMs: bench.options.quietMs, say });
  await using opened = new AsyncDisposableStack();
  const timeUp = Promise.withResolvers<never>();
  const boundMs = phase.boundMs(bench.options);
  const timer = setTimeout(
    () => timeUp.reject(new Error(`took longer than ${boundMs / 1_000} s`)),
    boundMs,
  );
  try {
    const servers: BenchServer[] = [];
    const measured = phase.measure({ ...bench, opened, servers, say });
    const figures = await Promise.race([measured, timeUp.promise]);
    return [...figures, ...mostMemory(phase, bench.options, servers)];
  } finally {
    clearTimeout(timer);
  }
}

/** Of the servers that still run: what one of them had resident at most, under the load of the phase. */
function mostMemory(
  { name }: Phase,
  options: BenchOptions,
  servers: readonly BenchServer[],
): Figure[] {
  const running = servers.filter((server) => server.isRunning());
  if (running.length === 0) return [];
  return [
    {
      name: `memory under the load of ${name}`,
      unit: "MiB",
      value: Math.max(...running.map(({ pid }) => mostResidentMiB(pid))),
      wanted: wantedOf(options, "memoryUnderLoadMiB"),
    },
  ];
}
