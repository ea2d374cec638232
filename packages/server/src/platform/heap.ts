import { getHeapSpaceStatistics, getHeapStatistics } from "node:v8";

/** The heap of this thread, without the young generation (short-lived objects). */
export interface HeapUse {
  readonly usedBytes: number;
  /** V8 ends the process beyond this. */
  readonly limitBytes: number;
}

const toldLimit = /--max[-_]old[-_]space[-_]size=(\d+)/g;

/**
 * V8 reports one limit for the young and the old generation together, but ends the process when the old
 * one alone is full. Without a setting, the young generation has 3/67 of the whole.
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
