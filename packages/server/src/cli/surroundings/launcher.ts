/** The npm, or the shell that npm made for it, that runs this process as a script. */
export interface Launcher {
  hasEnded(): boolean;
}

/** What is known about processes, so that a test can say it. */
export interface Processes {
  readonly platform: NodeJS.Platform;
  /** Of the process that is our parent now. */
  parentId(): number;
  /** Windows keeps the id of a parent that has ended: there one must ask whether it lives. */
  isAlive(processId: number): boolean;
}

/**
 * A script that runs Postdate in the foreground: `postdate serve`, `exec node …/bin/postdate.js dev`.
 * Whatever else a script does, such as `postdate serve &`, may mean to leave the server behind.
 */
const plainScript =
  /^(?:exec\s+)?(?:\w+=\S*\s+)*(?:\S*\bnode(?:\.exe)?\s+(?:--\S+\s+)*)?\S*\bpostdate(?:\.js|\.cmd)?(?:\s[^&|;]*)?$/;

/** Null unless npm runs this process; a program that npm runs and that starts us is not npm. */
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
