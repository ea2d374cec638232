import { execFile } from "node:child_process";
import { promisify } from "node:util";

export interface Clocks {
  /** The wall clock, less what it is here. */
  readonly wallOffMs: number;
  readonly wallOffInThreadMs: number;
  /** Between what monotonic time was here before and after. */
  readonly isMonotonicTrue: boolean;
}

/** All of them in a thread of its own too: a server's store may run in one. */
const readClocks = `
  const { Worker } = require("node:worker_threads");
  const thread = 'require("node:worker_threads").parentPort.postMessage(Date.now())';
  new Worker(thread, { eval: true }).on("message", (inThread) => {
    const monotonic = process.hrtime.bigint().toString();
    console.log(JSON.stringify({ wall: Date.now(), inThread, monotonic }));
  });`;

/** The clocks of a process with this environment, held against those of this one. */
export async function clocksUnder(env: Readonly<Record<string, string>>): Promise<Clocks> {
  const before = process.hrtime.bigint();
  const { stdout } = await promisify(execFile)(process.execPath, ["-e", readClocks], {
    env: { ...process.env, ...env },
  });
  const after = process.hrtime.bigint();
  const read = JSON.parse(stdout) as { wall: number; inThread: number; monotonic: string };
  const monotonic = BigInt(read.monotonic);
  return {
    wallOffMs: read.wall - Date.now(),
    wallOffInThreadMs: read.inThread - Date.now(),
    isMonotonicTrue: before <= monotonic && monotonic <= after,
  };
}
