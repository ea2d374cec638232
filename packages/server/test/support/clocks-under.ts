import { execFile } from "node:child_process";
import { promisify } from "node:util";

export interface Clocks {
  /** How far the wall clock is ahead of the one here. */
  readonly wallOffMs: number;
  readonly wallOffInThreadMs: number;
  /** Whether monotonic time lies between two readings of it here. */
  readonly isMonotonicTrue: boolean;
}

/** Reads the clocks in a separate thread too, because a server's store may run in one. */
const readClocks = `
  const { Worker } = require("node:worker_threads");
  const thread = 'require("node:worker_threads").parentPort.postMessage(Date.now())';
  new Worker(thread, { eval: true }).on("message", (inThread) => {
    const monotonic = process.hrtime.bigint().toString();
    console.log(JSON.stringify({ wall: Date.now(), inThread, monotonic }));
  });`;

/** Compares the clocks of a process with this environment with the clocks of this process. */
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
