import { readdirSync, readFileSync } from "node:fs";

/** Only Linux tells these times, in /proc. */
const ticksPerSecond = 100;

export function residentMiB(pid: number): number {
  return readMiB(pid, /VmRSS:\s+(\d+) kB/);
}

/** The most that was resident since the process began. */
export function mostResidentMiB(pid: number): number {
  return readMiB(pid, /VmHWM:\s+(\d+) kB/);
}

function readMiB(pid: number, line: RegExp): number {
  return Number(line.exec(readFileSync(`/proc/${pid}/status`, "latin1"))![1]) / 1_024;
}

/** The processor time of all threads since the process began. */
export function processorMs(pid: number): number {
  const { own } = timesOf(pid);
  return own;
}

/** The processor time of the process and its children, including children that have ended. */
export function familyProcessorMs(pid: number): number {
  const { own, ended } = timesOf(pid);
  let living = 0;
  for (const name of readdirSync("/proc")) {
    try {
      if (/^\d+$/.test(name)) {
        const child = timesOf(Number(name));
        if (child.parent === pid) living += child.own;
      }
    } catch {
      // The process has ended meanwhile.
    }
  }
  return own + ended + living;
}

export function parentOf(pid: number): number {
  return timesOf(pid).parent;
}

function timesOf(pid: number): {
  readonly parent: number;
  readonly own: number;
  readonly ended: number;
} {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
  const ms = (ticks: number): number => (ticks * 1_000) / ticksPerSecond;
  return {
    parent: fields[1]!,
    own: ms(fields[11]! + fields[12]!),
    ended: ms(fields[13]! + fields[14]!),
  };
}
