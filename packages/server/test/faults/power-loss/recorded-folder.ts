import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Chance } from "../../history/support/chance.ts";
import { Disk } from "./disk.ts";
import { readRecord } from "./read-record.ts";

/** When to cut the power. */
export interface CutMoment {
  /** The number of the change at which the power is cut. */
  readonly change: number;
  /** Counts only changes of files with this name. A `*` matches anything. */
  readonly file?: string;
}

/** A data folder whose changes are recorded while a server uses it, so that a test can cut its power. */
export class RecordedFolder implements Disposable {
  readonly #path: string;
  readonly #workshop = mkdtempSync(join(tmpdir(), "postdate-power-"));
  readonly #library = join(this.#workshop, "record-writes.so");
  readonly #record = join(this.#workshop, "record");
  #before: ReadonlyMap<string, Buffer> = new Map();

  constructor(path: string) {
    this.#path = path;
    const source = join(import.meta.dirname, "record-writes.c");
    execFileSync("cc", [
      "-shared",
      "-fPIC",
      "-O2",
      "-o",
      this.#library,
      source,
      "-ldl",
      "-lpthread",
    ]);
  }

  /** The environment of the next server whose power will be cut. */
  env({ change, file }: CutMoment): Record<string, string> {
    rmSync(this.#record, { force: true });
    this.#before = this.#read();
    return {
      LD_PRELOAD: this.#library,
      RECORD_FOLDER: this.#path,
      RECORD_FILE: this.#record,
      RECORD_CUT_AFTER: String(change),
      ...(file === undefined ? {} : { RECORD_CUT_FILE: file }),
    };
  }

  /**
   * Reduces the folder to what the disk would have held at the last change. Returns how many writes were
   * missing or incomplete.
   */
  cutPower(chance: Chance): number {
    const disk = new Disk(this.#path, this.#before);
    for (const change of readRecord(this.#record)) disk.apply(change);
    refuseIncomplete(disk.whole(), this.#read());
    const { files, lostWrites } = disk.losePower(chance);
    for (const name of readdirSync(this.#path)) rmSync(join(this.#path, name));
    for (const [name, content] of files) {
      writeFileSync(join(this.#path, name), content, { mode: 0o600 });
    }
    return lostWrites;
  }

  #read(): Map<string, Buffer> {
    const names = readdirSync(this.#path).filter((name) => !name.endsWith("-shm"));
    return new Map(names.map((name) => [name, readFileSync(join(this.#path, name))]));
  }

  [Symbol.dispose](): void {
    rmSync(this.#workshop, { recursive: true, force: true });
  }
}

/** The record must be complete. Otherwise the cut would not be realistic. */
function refuseIncomplete(
  recorded: ReadonlyMap<string, Buffer>,
  found: ReadonlyMap<string, Buffer>,
): void {
  for (const name of new Set([...recorded.keys(), ...found.keys()])) {
    const [one, other] = [recorded.get(name), found.get(name)];
    if (one === undefined || other === undefined || !one.equals(other)) {
      throw new Error(
        `${name} is another than the record says: it was changed in a way not recorded`,
      );
    }
  }
}
