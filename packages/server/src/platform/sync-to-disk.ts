import { closeSync, fsyncSync, openSync } from "node:fs";

/** A new name is safe on disk only after a sync of its folder. Windows has no such call and needs none. */
export function syncFolder(path: string): void {
  if (process.platform !== "win32") sync(path, "r");
}

export function syncFile(path: string): void {
  sync(path, "r+");
}

function sync(path: string, flags: string): void {
  const file = openSync(path, flags);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
