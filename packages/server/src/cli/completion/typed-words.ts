import type { Command } from "commander";
import type { AccessFlags } from "../connection/choose-access.ts";
import { namedArguments, type NamedArgument } from "./word-tree.ts";

/** What the next word on the command line is the id of; undefined if it is none. */
export function awaitedId(program: Command, typed: readonly string[]): NamedArgument | undefined {
  let command = program;
  let given = 0;
  for (let at = 0; at < typed.length; at++) {
    const word = typed[at]!;
    if (word.startsWith("-")) {
      if (takesNext(command, word)) at++;
      continue;
    }
    const below = command.commands.find((each) => each.name() === word);
    if (below === undefined) given++;
    else command = below;
  }
  const argument = command.registeredArguments[given];
  return argument && namedArguments[argument.name()];
}

/** The service and the key that the words name. */
export function typedAccess(typed: readonly string[]): AccessFlags {
  return {
    ...typedValue("url", typed),
    ...typedValue("key", typed),
    ...typedValue("profile", typed),
  };
}

function typedValue(name: keyof AccessFlags, typed: readonly string[]): AccessFlags {
  const flag = `--${name}`;
  const at = typed.findLastIndex((word) => word === flag || word.startsWith(`${flag}=`));
  if (at === -1) return {};
  const value = typed[at] === flag ? typed[at + 1] : typed[at]!.slice(flag.length + 1);
  return value === undefined ? {} : { [name]: value.replaceAll(/^(["'])(.*)\1$/g, "$2") };
}

function takesNext({ options }: Command, word: string): boolean {
  const option = options.find(({ long, short }) => long === word || short === word);
  return option !== undefined && (option.required || option.optional);
}
