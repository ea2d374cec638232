import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, rmSync, truncateSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A separate file system, small enough to fill. Only commands run with `within` see it. */
export interface SmallDisk extends AsyncDisposable {
  readonly path: string;
  /** Its path from outside, for its owner and for root. */
  readonly outerPath: string;
  /** Runs the command after it where the file system is mounted. */
  readonly within: readonly string[];
  /** Uses up all the room that is left. */
  fill(): void;
  makeRoom(): void;
}

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** Needs only the right to make a namespace. The file system is mounted in it and disappears with it. */
export async function mountSmallDisk(size: string, owner?: Owner): Promise<SmallDisk> {
  const path = mkdtempSync(join(tmpdir(), "postdate-small-disk-"));
  // The owner makes the file that fills the disk, because others may write to it but could not create it.
  const mount = `mount -t tmpfs -o size=${size},mode=700 postdate-test "$0" && : > "$0/filler" && echo mounted && exec cat`;
  const space = ["--user", "--map-root-user", "--mount"];
  const holder = spawn("unshare", [...space, "sh", "-c", mount, path], {
    stdio: ["pipe", "pipe", "pipe"],
    ...owner,
  });
  const ended = once(holder, "exit");
  let said = "";
  holder.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  await Promise.race([
    once(holder.stdout, "data"),
    ended.then(() => Promise.reject(new Error(`no small disk can be mounted: ${said}`))),
  ]);
  // The file system is at its path only from inside. From outside it is under the process that holds it.
  const outerPath = join(`/proc/${holder.pid}/root`, path);
  const filler = join(outerPath, "filler");
  return {
    path,
    outerPath,
    within: [
      ...["nsenter", "--target", String(holder.pid), "--user", "--mount"],
      ...["--preserve-credentials", "--"],
    ],
    fill() {
      const file = openSync(filler, "r+");
      try {
        for (const block of [Buffer.alloc(1 << 20), Buffer.alloc(4_096)])
          writeUntilFull(file, block);
      } finally {
        closeSync(file);
      }
    },
    makeRoom: () => truncateSync(filler),
    async [Symbol.asyncDispose]() {
      holder.stdin.end();
      await ended;
      rmSync(path, { recursive: true, force: true });
    },
  };
}

function writeUntilFull(file: number, block: Buffer): void {
  for (;;) {
    try {
      writeSync(file, block);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOSPC") return;
      throw error;
    }
  }
}
