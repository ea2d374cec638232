import { readFileSync } from "node:fs";
import type { ServerProcess } from "../../support/server-process.ts";

/** The most memory that the process has had resident since it started, in MiB (Linux). */
export function peakMemoryMiB({ process: { pid } }: ServerProcess): number {
  const [, kib] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  if (kib === undefined) throw new Error(`process ${pid} does not say how much memory it has`);
  return Number(kib) / 1_024;
}
