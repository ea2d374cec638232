import { readdirSync, readFileSync } from "node:fs";

/** The process and all its descendants, the process itself first. */
export function processTree(root: number): number[] {
  const childrenOf = Map.groupBy(allProcesses(), ({ parent }) => parent);
  const tree = [root];
  for (const pid of tree) tree.push(...(childrenOf.get(pid) ?? []).map((child) => child.pid));
  return tree;
}

/** Signals each process. Ignores those that are already gone. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}

/** A process that has ended is not alive, even before its parent has collected it. */
export function isAlive(pid: number): boolean {
  return allProcesses().some((each) => each.pid === pid && each.state !== "Z");
}

interface ProcessState {
  readonly pid: number;
  readonly parent: number;
  readonly state: string;
}

function allProcesses(): ProcessState[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, "utf8");
        // The program's name is in brackets and may contain anything.
        const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        return [{ pid: Number(name), parent: Number(parent), state: state! }];
      } catch {
        return [];
      }
    });
}
