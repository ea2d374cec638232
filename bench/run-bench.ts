import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { recommendedSettings, startDatabases } from "./databases.ts";
import type { Figure } from "./figures/figure.ts";
import { slowDisk } from "./disk/slow-disk.ts";
import { describeMachine } from "./figures/machine.ts";
import type { BenchOptions } from "./options.ts";
import type { Phase } from "./phase.ts";
import type { LoadCalls } from "./processes/load.ts";
import type { ReceiverCalls } from "./processes/receiver.ts";
import { startChild } from "./processes/start-child.ts";
import { surface } from "./phases/surface.ts";
import { runPhase } from "./run-phase.ts";

export interface BenchResult {
  readonly options: BenchOptions;
  /** The description of the machine, in lines. */
  readonly machine: readonly string[];
  readonly figures: readonly Figure[];
  /** Phases that failed, and why. */
  readonly failures: readonly string[];
}

/** Runs one phase after the other. If one fails, the others are still measured. */
export async function runBench(
  options: BenchOptions,
  phases: readonly Phase[],
): Promise<BenchResult> {
  const folder = mkdtempSync(join(tmpdir(), "postdate-bench-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const disk = needsSlowDisk(options, phases) ? slowDisk(folder) : null;
  await using started = new AsyncDisposableStack();
  const databases =
    options.store === "postgres" ? await startDatabases(recommendedSettings()) : null;
  if (databases !== null) started.defer(() => databases.stop());
  const load = startChild<LoadCalls>("processes/load.ts");
  started.defer(() => load.close());
  const receiver = startChild<ReceiverCalls>("processes/receiver.ts");
  started.defer(() => receiver.close());
  const receiverUrl = await receiver.call("url", undefined);
  const newDatabase = databases === null ? null : () => databases.create();
  const bench = { options, folder, load, receiver, receiverUrl, newDatabase, disk };
  disk?.syncsTakeLonger(options.diskMs);

  const figures: Figure[] = [];
  const failures: string[] = [];
  for (const phase of phases) {
    try {
      figures.push(...(await runPhase(phase, bench)));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      failures.push(`${phase.name}: ${reason}`);
      console.error(`  failed: ${reason}`);
    }
    await databases?.dropAll();
  }
  return {
    options,
    machine: await describeMachine(databases?.description ?? null),
    figures,
    failures,
  };
}

function needsSlowDisk({ diskMs }: BenchOptions, phases: readonly Phase[]): boolean {
  return diskMs > 0 || phases.includes(surface);
}
