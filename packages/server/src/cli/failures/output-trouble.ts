import { codeOf } from "./store-trouble.ts";

/** Why a command cannot print, in a sentence. */
export function outputTrouble(error: Error): string {
  const isFull = codeOf(error) === "ENOSPC";
  return `Cannot write the output: ${isFull ? "the disk is full" : error.message}.`;
}
