import { getHeapSpaceStatistics, getHeapStatistics } from "node:v8";

/** The heap of this thread, without the nursery of short-lived objects. */
export interface HeapUse {
  readonly usedBytes: number;
  /** Beyond this the process ends. */
  readonly limitBytes: number;
}

const toldLimit = /--max[-_]old[-_]space[-_]size=(\d+)/g;

/**
 * V8 tells one limit for the nursery and the rest together, and ends the process when the rest alone is
 * full. Where nobody said how large that may be, the nursery is three parts in 67 of the whole.
 */
function findLimit(): number {
  const told = [process.env["NODE_OPTIONS"] ?? "", ...process.execArgv].join(" ");
  const megabytes = [...told.matchAll(toldLimit)].at(-1)?.[1];
  if (megabytes !== undefined) return Number(megabytes) * 1_048_576;
  return (getHeapStatistics().heap_size_limit * 64) / 67;
}

let limitBytes: number | undefined;

export function readHeap(): HeapUse {
  limitBytes ??= findLimit();
  let usedBytes = 0;
  for (const space of getHeapSpaceStatistics()) {
    if (!space.space_name.startsWith("new_")) usedBytes += space.space_used_size;
  }
  return { usedBytes, limitBytes };
}
