import type { Command } from "commander";
import { nearNames } from "../../config/near-names.ts";

/**
 * Lets the command run with unexpected arguments, so that it can report them together with its other
 * mistakes.
 */
export function withStrayArguments(command: Command): Command {
  return command.allowUnknownOption().allowExcessArguments();
}

/** A sentence for each unknown option, and for each word that belongs to no option. */
export function strayArguments({ args, options }: Command): string[] {
  const known = options.flatMap(({ long }) => (long ? [long.slice(2)] : []));
  return args.flatMap((word, index) => {
    if (isOption(word)) return [unknownOption(word.replace(/=.*$/s, ""), known)];
    // Most likely the value of an unknown option that was already reported.
    const before = args[index - 1];
    if (before !== undefined && isOption(before) && !before.includes("=")) return [];
    return [`${JSON.stringify(word)} is not expected here`];
  });
}

function isOption(word: string): boolean {
  return word.length > 1 && word.startsWith("-");
}

function unknownOption(name: string, known: readonly string[]): string {
  const near = nearNames(name.replace(/^-+/, ""), known).map((option) => `--${option}`);
  const hint =
    near.length === 0 ? "--help lists all options" : `did you mean ${near.join(" or ")}?`;
  return `there is no option ${name}: ${hint}`;
}
