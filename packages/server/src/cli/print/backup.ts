import type { BackupFacts } from "../surroundings/backup-keeper.ts";
import { counted } from "../terminal/progress.ts";

export function backupText(backup: BackupFacts & { file: string; bytes: number }): string {
  return `Backed up to ${backup.file} (${sizeText(backup.bytes)}), and read it back: ${contents(backup)}.\n`;
}

export function restoredText(restored: BackupFacts & { dataDir: string }): string {
  return `Restored to ${restored.dataDir}, and read it back: ${contents(restored)}.
Messages that were delivered after the backup are scheduled in it. A server on this folder delivers them again.
`;
}

function contents({ messages, scheduled, schema }: BackupFacts): string {
  const noun = messages === 1 ? "message" : "messages";
  return `${counted(messages)} ${noun}, ${counted(scheduled)} of them scheduled, schema ${schema}`;
}

function sizeText(bytes: number): string {
  const units = ["bytes", "kB", "MB", "GB"];
  let size = bytes;
  while (size >= 1_000 && units.length > 1) {
    size /= 1_000;
    units.shift();
  }
  return `${size < 10 && units[0] !== "bytes" ? size.toFixed(1) : Math.round(size)} ${units[0]}`;
}
