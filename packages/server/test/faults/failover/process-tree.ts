import { readdirSync, readFileSync } from "node:fs";

/** The process and all below it, the process itself first. */
export function processTree(root: number): number[] {
  const childrenOf = Map.groupBy(allProcesses(), ({ parent }) => parent);
  const tree = [root];
  for (const pid of tree) tree.push(...(childrenOf.get(pid) ?? []).map((child) => child.pid));
  return tree;
}

/** Signals each; those that are gone already do not matter. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}

/** A process that has ended and was not yet fetched by its parent is not alive. */
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
        // The name of the program stands in brackets and may hold anything.
        const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        return [{ pid: Number(name), parent: Number(parent), state: state! }];
      } catch {
        return [];
      }
    });
}
