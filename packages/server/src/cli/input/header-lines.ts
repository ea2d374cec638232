import { readFile } from "node:fs/promises";
import { fileTrouble } from "../../config/file-trouble.ts";
import { InvalidValue } from "../../config/invalid-value.ts";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import type { Input } from "../surroundings/surroundings.ts";
import { readStdin } from "./read-payload.ts";

/** Reads headers as people write them, one `Name: value` each. Throws `InvalidValue`. */
export function headersOf(lines: readonly string[]): Record<string, string> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon)).trim();
    if (name === "") throw new InvalidValue(`must look like "Name: value", not "${line}"`);
    if ([...headers.keys()].some((known) => known.toLowerCase() === name.toLowerCase())) {
      throw new InvalidValue(`is given twice for ${name}`);
    }
    headers.set(name, line.slice(colon + 1).trim());
  }
  return Object.fromEntries(headers);
}

/** The headers in a file, one on each line, or on stdin if the path is `-`. */
export async function headerLines(path: string, stdin: Input): Promise<readonly string[]> {
  const text = path === "-" ? (await readStdin(stdin)).toString() : await fileText(path);
  const lines = text.split(/\r?\n/);
  const odd = lines.findIndex((line) => line.trim() !== "" && !/^[^:]*[^:\s][^:]*:/.test(line));
  if (odd === -1) return lines.filter((line) => line.trim() !== "");
  // The line may be a secret, so the error does not repeat it.
  const message = `--header-file: line ${odd + 1} must look like "Name: value".`;
  throw new CommandFailed(exitCodes.usage, message);
}

async function fileText(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const reason = fileTrouble(error);
    throw new CommandFailed(exitCodes.usage, `Cannot read --header-file ${path}: ${reason}.`);
  }
}
