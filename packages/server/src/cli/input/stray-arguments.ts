import type { Command } from "commander";
import { nearNames } from "../../config/near-names.ts";

/** Lets the command run whatever stands beside its options, so that it can name this with its other mistakes. */
export function withStrayArguments(command: Command): Command {
  return command.allowUnknownOption().allowExcessArguments();
}

/** A sentence for each option that the command does not know, and each word that belongs to none. */
export function strayArguments({ args, options }: Command): string[] {
  const known = options.flatMap(({ long }) => (long ? [long.slice(2)] : []));
  return args.flatMap((word, index) => {
    if (isOption(word)) return [unknownOption(word.replace(/=.*$/s, ""), known)];
    // Most likely the value of an option that is named already.
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
    near.length === 0 ? "--help lists those there are" : `did you mean ${near.join(" or ")}?`;
  return `there is no option ${name}: ${hint}`;
}
