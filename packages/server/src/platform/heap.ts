import { getHeapSpaceStatistics, getHeapStatistics } from "node:v8";

/** The heap of this thread, without the young generation (short-lived objects). */
export interface HeapUse {
  readonly usedBytes: number;
  /** V8 ends the process beyond this. */
  readonly limitBytes: number;
}

const oldSize = /--max[-_]old[-_]space[-_]size=(\d+)/g;
const semiSpaceSize = /--max[-_]semi[-_]space[-_]size=(\d+)/g;

/**
 * V8 reports one limit for the young and the old generation together, but ends the process when the old
 * one alone is full. The young one has three semi-spaces. Without a setting, it has 3/67 of the whole.
 */
function findLimit(): number {
  const old = toldBytes(oldSize);
  if (old !== undefined) return old;
  const whole = getHeapStatistics().heap_size_limit;
  const semiSpace = toldBytes(semiSpaceSize);
  return semiSpace === undefined ? (whole * 64) / 67 : whole - 3 * semiSpace;
}

function toldBytes(flag: RegExp): number | undefined {
  const told = [process.env["NODE_OPTIONS"] ?? "", ...process.execArgv].join(" ");
  const megabytes = [...told.matchAll(flag)].at(-1)?.[1];
  return megabytes === undefined ? undefined : Number(megabytes) * 1_048_576;
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
