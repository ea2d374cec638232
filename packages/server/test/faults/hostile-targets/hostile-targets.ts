import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Receipt } from "../../history/history.ts";
import type { HostileRequest } from "./hostile-process.ts";

/** Targets that answer badly, one of each kind. */
export interface HostileTargets extends AsyncDisposable {
  /** Their URLs, by their names in `hostileAnswers`. */
  urls(): Promise<ReadonlyMap<string, string>>;
  /** Resolves once each has had this many attempts. */
  attempted(counts: Readonly<Record<string, number>>): Promise<void>;
  receipts(): Promise<Receipt[]>;
}

/** Runs in a separate process, so that the targets do not disturb the measurement of others. */
export async function startHostileTargets(): Promise<HostileTargets> {
  const program = fileURLToPath(new URL("hostile-process.ts", import.meta.url));
  const child = fork(program, { serialization: "advanced", execArgv: [] });
  const exited = once(child, "exit");
  const ask = async (request: HostileRequest): Promise<unknown> => {
    child.send(request);
    const [answer] = await Promise.race([
      once(child, "message"),
      exited.then(() => {
        throw new Error("the hostile targets have ended");
      }),
    ]);
    return answer;
  };
  return {
    urls: async () => new Map((await ask({ asks: "urls" })) as [string, string][]),
    attempted: async (counts) => void (await ask({ asks: "attempted", counts })),
    receipts: async () => (await ask({ asks: "receipts" })) as Receipt[],
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
