import { readFileSync } from "node:fs";
import type { ServerProcess } from "../../support/server-process.ts";

/** The peak resident memory of the process since its start, in MiB (Linux). */
export function peakMemoryMiB({ process: { pid } }: ServerProcess): number {
  const [, kib] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  if (kib === undefined) throw new Error(`process ${pid} does not say how much memory it has`);
  return Number(kib) / 1_024;
}
