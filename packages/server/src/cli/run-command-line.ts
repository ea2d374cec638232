import { CommanderError } from "commander";
import { exitCodes } from "./failures/exit-codes.ts";
import { asJson, failureOf } from "./failures/present-failure.ts";
import { withoutControls } from "./terminal/aligned.ts";
import { createProgram } from "./program.ts";
import type { Surroundings } from "./surroundings/surroundings.ts";

/** Runs one command and answers with its exit code. Throws only for bugs. */
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
    // The service's words may be among them.
    else for (const line of failure.lines) stderr.write(`${withoutControls(line)}\n`);
    return failure.exitCode;
  }
}

/** `help target add` as `target add --help`: commander's own `help` looks at one word alone. */
function asHelpOption(argv: readonly string[]): readonly string[] {
  const [first, ...words] = argv;
  return first === "help" && words.length > 1 ? [...words, "--help"] : argv;
}

/** Known before anything is parsed, because what cannot be parsed is an error too. */
function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return (end === -1 ? argv : argv.slice(0, end)).includes("--json");
}
