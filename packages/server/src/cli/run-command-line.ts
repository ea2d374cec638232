import { CommanderError } from "commander";
import { exitCodes } from "./failures/exit-codes.ts";
import { asJson, failureOf } from "./failures/present-failure.ts";
import { withoutControls } from "./terminal/aligned.ts";
import { createProgram } from "./program.ts";
import type { Surroundings } from "./surroundings/surroundings.ts";

/** Runs one command and returns its exit code. Throws only for bugs. */
export async function runCommandLine(
  argv: readonly string[],
  surroundings: Surroundings,
): Promise<number> {
  const { stderr } = surroundings;
  const json = asksForJson(argv);
  try {
    const program = createProgram(surroundings, { quietUsage: json });
    await program.parseAsync(asHelpOption(argv), { from: "user" });
    return exitCodes.done;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.done;
    const failure = failureOf(error);
    if (failure === undefined) throw error;
    if (json) stderr.write(asJson(failure));
    // The lines may contain text from the service.
    else for (const line of failure.lines) stderr.write(`${withoutControls(line)}\n`);
    return failure.exitCode;
  }
}

/** Turns `help target add` into `target add --help`, because commander's own `help` reads only one word. */
function asHelpOption(argv: readonly string[]): readonly string[] {
  const [first, ...words] = argv;
  return first === "help" && words.length > 1 ? [...words, "--help"] : argv;
}

/** This is known before parsing, because a parse error must be JSON too. */
function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return (end === -1 ? argv : argv.slice(0, end)).includes("--json");
}
