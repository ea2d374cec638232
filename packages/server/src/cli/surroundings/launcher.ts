/** The npm that runs this process as a script, or the shell that npm started for it. */
export interface Launcher {
  hasEnded(): boolean;
}

/** The facts about processes, which a test can replace. */
export interface Processes {
  readonly platform: NodeJS.Platform;
  /** The id of the current parent process. */
  parentId(): number;
  /** On Windows the parent's id stays after the parent has ended, so we must ask whether it is alive. */
  isAlive(processId: number): boolean;
}

/**
 * A script that runs Postdate in the foreground: `postdate serve`, `exec node …/bin/postdate.js dev`.
 * Any other script, such as `postdate serve &`, may mean to leave the server running.
 */
const plainScript =
  /^(?:exec\s+)?(?:\w+=\S*\s+)*(?:\S*\bnode(?:\.exe)?\s+(?:--\S+\s+)*)?\S*\bpostdate(?:\.js|\.cmd)?(?:\s[^&|;]*)?$/;

/**
 * Null unless npm runs this process directly. A program that npm runs and that starts us does not
 * count.
 */
export function findLauncher(
  env: Readonly<Record<string, string | undefined>>,
  processes: Processes,
): Launcher | null {
  // npx puts the command in quotes.
  const script = env["npm_lifecycle_script"]?.replaceAll(/["']/g, "").trim() ?? "";
  if (!plainScript.test(script)) return null;
  const parentId = processes.parentId();
  return {
    hasEnded: () =>
      processes.platform === "win32"
        ? !processes.isAlive(parentId)
        : processes.parentId() !== parentId,
  };
}

export const systemProcesses: Processes = {
  platform: process.platform,
  parentId: () => process.ppid,
  isAlive(processId) {
    try {
      return process.kill(processId, 0);
    } catch (error) {
      return (error as NodeJS.ErrnoException).code !== "ESRCH";
    }
  },
};
