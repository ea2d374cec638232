import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import { fileTrouble } from "../../config/file-trouble.ts";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import type { Input } from "../surroundings/surroundings.ts";

export interface PayloadSource {
  readonly argument: string | undefined;
  readonly file: string | undefined;
  readonly stdin: Input;
}

/** Reads the payload byte for byte from the argument, a file or stdin. */
export async function readPayload(command: Command, source: PayloadSource): Promise<string> {
  const { argument, file, stdin } = source;
  if (argument !== undefined && file !== undefined) {
    command.error("error: give the payload as an argument or with --file, not both");
  }
  if (file !== undefined) return decode(await readBytes(file), file);
  if (argument === undefined) {
    command.error("error: no payload: give it as an argument, with --file, or as - for stdin");
  }
  if (argument !== "-") return argument;
  return decode(await readStdin(stdin), "stdin");
}

export async function readStdin(stdin: Input): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks);
}

async function readBytes(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new CommandFailed(exitCodes.usage, `Cannot read --file ${file}: ${fileTrouble(error)}.`);
  }
}

function decode(bytes: Uint8Array, from: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new CommandFailed(
      exitCodes.usage,
      `The payload from ${from} is not UTF-8 text. Encode it first, for example with base64.`,
    );
  }
}
