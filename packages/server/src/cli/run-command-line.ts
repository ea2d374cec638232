import { CommanderError } from "commander";
import { InvalidValue } from "../config/invalid-value.ts";
import { CommandFailed, exitCodes } from "./exit-codes.ts";
import { withoutControls } from "./print/aligned.ts";
import { createProgram } from "./program.ts";
import type { Surroundings } from "./surroundings.ts";

/** Runs one command and answers with its exit code. Throws only for bugs. */
export async function runCommandLine(
  argv: readonly string[],
  surroundings: Surroundings,
): Promise<number> {
  const { stderr } = surroundings;
  try {
    await createProgram(surroundings).parseAsync(argv, { from: "user" });
    return exitCodes.done;
  } catch (error) {
    // Commander has said already what it had to say.
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    }
    if (error instanceof InvalidValue) {
      stderr.write(`${error.message}\n`);
      return exitCodes.usage;
    }
    if (!(error instanceof CommandFailed)) throw error;
    // The service's words may be among them.
    for (const line of error.lines) stderr.write(`${withoutControls(line)}\n`);
    return error.exitCode;
  }
}
