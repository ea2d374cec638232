import { readFileSync } from "node:fs";

/** One change to a folder, as `record-writes.c` recorded it. */
export interface RecordedChange {
  readonly kind: "create" | "write" | "truncate" | "sync" | "unlink" | "rename";
  readonly path: string;
  /** The position in the file, or the file's new length. */
  readonly at: number;
  /** The written bytes, or the new path. */
  readonly data: Buffer;
}

const kinds: Readonly<Record<string, RecordedChange["kind"]>> = {
  C: "create",
  W: "write",
  T: "truncate",
  S: "sync",
  U: "unlink",
  R: "rename",
};
const headLength = 17;

export function* readRecord(file: string): Generator<RecordedChange> {
  const bytes = readFileSync(file);
  for (let at = 0; at < bytes.length;) {
    const kind = kinds[String.fromCharCode(bytes[at]!)];
    if (kind === undefined) throw new Error(`the record is broken at byte ${at}`);
    const pathEnd = at + headLength + bytes.readUInt32LE(at + 1);
    const end = pathEnd + bytes.readUInt32LE(at + 13);
    yield {
      kind,
      path: bytes.toString("utf8", at + headLength, pathEnd),
      at: Number(bytes.readBigUInt64LE(at + 5)),
      data: bytes.subarray(pathEnd, end),
    };
    at = end;
  }
}
