import { inspect } from "node:util";
import { CommanderError, type Command } from "commander";
import { exitCodes } from "./failures/exit-codes.ts";
import { asJson, failureOf } from "./failures/present-failure.ts";
import { unknownCommand } from "./help/unknown-words.ts";
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
    await program.parseAsync(asHelpOption(argv, program), { from: "user" });
    return exitCodes.done;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.done;
    const failure = failureOf(error);
    if (failure === undefined) throw asSafeText(error);
    if (json) stderr.write(asJson(failure));
    // The lines may contain text from the service.
    else for (const line of failure.lines) stderr.write(`${withoutControls(line)}\n`);
    return failure.exitCode;
  }
}

/** Node.js prints the error of a bug as it is. Its texts may be from the service, and control a terminal. */
function asSafeText(error: unknown): Error {
  const text = withoutControls(inspect(error));
  const safe = new Error(text.split("\n", 1)[0]);
  return Object.assign(safe, { stack: text });
}

/**
 * Turns `help target add`, and `target help add`, into `target add --help`. Commander's own `help` reads only one word, and
 * takes an unknown one for none.
 */
function asHelpOption(argv: readonly string[], program: Command): readonly string[] {
  const [first, second] = argv;
  const isOfGroup = second === "help" && (childOf(program, first)?.commands.length ?? 0) > 0;
  if (first !== "help" && !isOfGroup) return argv;
  const words = argv.filter((word) => !word.startsWith("-") && word !== "help");
  let command = program;
  for (const word of words) command = childOf(command, word) ?? unknownCommand(word, command);
  return [...words, "--help"];
}

function childOf(parent: Command, word: string | undefined): Command | undefined {
  return parent.commands.find((each) => each.name() === word);
}

/** This is known before parsing, because a parse error must be JSON too. */
function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return (end === -1 ? argv : argv.slice(0, end)).includes("--json");
}
