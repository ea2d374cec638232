import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A disk whose syncs take longer, for every process that is started from now on. */
export interface SlowDisk {
  /** From now on, every sync takes so much longer. */
  syncsTakeLonger(byMs: number): void;
}

/** Builds the library that makes syncs slow, and has all children of this process load it. */
export function slowDisk(folder: string): SlowDisk {
  if (process.platform !== "linux") throw new Error("a slow disk can be had on Linux only");
  // PostgreSQL may run as another user, who has to read it.
  chmodSync(folder, 0o755);
  const workshop = join(folder, "slow-disk");
  mkdirSync(workshop);
  const [library, file] = [join(workshop, "slow-syncs.so"), join(workshop, "longer")];
  const source = join(import.meta.dirname, "slow-syncs.c");
  try {
    execFileSync("cc", ["-shared", "-fPIC", "-O2", "-o", library, source, "-ldl"]);
  } catch (error) {
    throw new Error("a slow disk needs a C compiler that is called cc", { cause: error });
  }
  const syncsTakeLonger = (byMs: number): void =>
    // Written in place: the processes have mapped this very file.
    writeFileSync(file, new Uint8Array(Uint32Array.of(Math.round(byMs * 1_000)).buffer), {
      flag: "r+",
    });
  writeFileSync(file, new Uint8Array(4));
  process.env["SLOW_SYNCS_FILE"] = file;
  process.env["LD_PRELOAD"] = library;
  return { syncsTakeLonger };
}
