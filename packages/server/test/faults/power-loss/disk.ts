import type { Chance } from "../../history/support/chance.ts";
import { FileContent } from "./file-content.ts";
import type { FileChange } from "./file-content.ts";
import type { RecordedChange } from "./read-record.ts";

interface DiskFile {
  /** What is certainly on the disk. */
  readonly safe: FileContent;
  /** The changes since then. Any part of them may be on the disk. */
  unsafe: FileChange[];
}

type NameChange = (names: Map<string, DiskFile>) => void;

/** What is left after a power loss: the files, and how much of what was written is missing. */
export interface Remains {
  readonly files: ReadonlyMap<string, Buffer>;
  readonly lostWrites: number;
}

/**
 * One folder on a disk that promises no more than POSIX does. Data is safe once its file was synced, and a
 * file's name is safe once its folder was synced. Any part of everything else may be there: a sector of a
 * write without the next, or a later write without an earlier one.
 */
export class Disk {
  readonly #folder: string;
  #safeNames: Map<string, DiskFile>;
  readonly #names: Map<string, DiskFile>;
  #unsafeNames: NameChange[] = [];

  constructor(folder: string, files: ReadonlyMap<string, Buffer>) {
    this.#folder = folder;
    this.#names = new Map([...files].map(([name, bytes]) => [name, newFile(bytes)]));
    this.#safeNames = new Map(this.#names);
  }

  apply({ kind, path, at, data }: RecordedChange): void {
    const name = path.slice(this.#folder.length + 1);
    if (kind === "sync" && name === "") return this.#syncNames();
    if (kind === "create") return this.#rename((names, file) => names.set(name, file));
    if (kind === "unlink") return this.#rename((names) => names.delete(name));
    const file = this.#names.get(name);
    // A file without a name is lost.
    if (file === undefined) return;
    if (kind === "rename") {
      const newName = data.toString().slice(this.#folder.length + 1);
      this.#rename((names) => {
        names.delete(name);
        names.set(newName, file);
      });
    } else if (kind === "sync") {
      file.safe.change(file.unsafe);
      file.unsafe = [];
    } else file.unsafe.push(kind === "write" ? { kind, at, data } : { kind, at });
  }

  /** The files while the power is on. */
  whole(): ReadonlyMap<string, Buffer> {
    return new Map(
      [...this.#names].map(([name, { safe, unsafe }]) => [name, withChanges(safe, unsafe)]),
    );
  }

  losePower(chance: Chance): Remains {
    const names = new Map(this.#safeNames);
    const kept = chance.between(0, this.#unsafeNames.length);
    for (const change of this.#unsafeNames.slice(0, kept)) change(names);
    let lostWrites = 0;
    const files = new Map<string, Buffer>();
    for (const [name, { safe, unsafe }] of names) {
      const survivors = whatIsLeft(unsafe, chance);
      lostWrites += unsafe.length - survivors.whole;
      files.set(name, withChanges(safe, survivors.parts));
    }
    return { files, lostWrites };
  }

  #rename(change: (names: Map<string, DiskFile>, file: DiskFile) => void): void {
    const file = newFile(Buffer.alloc(0));
    const bound: NameChange = (names) => change(names, file);
    bound(this.#names);
    this.#unsafeNames.push(bound);
  }

  #syncNames(): void {
    this.#safeNames = new Map(this.#names);
    this.#unsafeNames = [];
  }
}

interface Survivors {
  readonly parts: readonly FileChange[];
  /** How many of the changes are complete. */
  readonly whole: number;
}

/** Everything before some instant, or any changes, or any sectors of any changes. */
function whatIsLeft(unsafe: readonly FileChange[], chance: Chance): Survivors {
  const way = chance.between(0, 3);
  if (way === 0) return { parts: [], whole: 0 };
  if (way === 1) {
    const parts = unsafe.slice(0, chance.between(0, unsafe.length));
    return { parts, whole: parts.length };
  }
  const sectorSize = way === 2 ? 512 : 4_096;
  let whole = 0;
  const parts = unsafe.flatMap((change) => {
    const sectors = sectorsOf(change, sectorSize);
    const left = sectors.filter(() => chance.happens(0.7));
    if (left.length === sectors.length) whole++;
    return left;
  });
  return { parts, whole };
}

function sectorsOf(change: FileChange, size: number): FileChange[] {
  if (change.kind === "truncate") return [change];
  const sectors: FileChange[] = [];
  for (let from = 0; from < change.data.length;) {
    const at = change.at + from;
    const data = change.data.subarray(from, from + size - (at % size));
    sectors.push({ kind: "write", at, data });
    from += data.length;
  }
  return sectors;
}

function newFile(bytes: Buffer): DiskFile {
  return { safe: new FileContent(bytes), unsafe: [] };
}

function withChanges(safe: FileContent, changes: readonly FileChange[]): Buffer {
  return new FileContent(safe.bytes).change(changes).bytes;
}
