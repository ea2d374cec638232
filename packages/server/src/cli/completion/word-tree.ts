import type { Argument, Command, Option } from "commander";

/** What an argument of this name is the id of. */
export const namedArguments: Readonly<Record<string, NamedArgument>> = {
  targetId: "targets",
  scheduleId: "schedules",
};

/** What a shell can offer for a value. */
export type Offer =
  | { readonly kind: "words"; readonly words: readonly string[] }
  | { readonly kind: "files" }
  /** Names that `postdate offer` knows. `targets` and `schedules` are only for an argument. */
  | { readonly kind: "profiles" | NamedArgument | "all-targets" | "all-schedules" }
  /** Only the user knows it. */
  | { readonly kind: "nothing" };

/** The things whose ids arguments can be. */
export type NamedArgument = "targets" | "schedules";

export interface OptionWords {
  /** Such as `-V` and `--version`. */
  readonly names: readonly string[];
  readonly description: string;
  /** Null for an option without a value. */
  readonly value: Offer | null;
}

/** A command, as a shell sees it. */
export interface CommandWords {
  /** The words after `postdate`, each with a space before it; empty for `postdate` itself. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  /** The words that its arguments can be. */
  readonly argumentWords: readonly string[];
  /** One of its arguments is the id of one of these; null if none is. */
  readonly takesId: NamedArgument | null;
  readonly options: readonly OptionWords[];
}

/** Every command of the program, itself first. */
export function commandWords(command: Command, path = ""): CommandWords[] {
  const help = command.createHelp();
  const commands = help.visibleCommands(command);
  const names = commands.map((each) => each.name());
  const offers = command.registeredArguments.map(argumentOffer);
  const own: CommandWords = {
    path,
    commands: commands.map((each) => ({ name: each.name(), description: each.description() })),
    argumentWords: offers.flatMap((offer) => (offer.kind === "words" ? offer.words : [])),
    takesId: offers.map(({ kind }) => kind).find(isNamed) ?? null,
    options: help.visibleOptions(command).map(optionWords),
  };
  const below = commands.flatMap((each) => commandWords(each, `${path} ${each.name()}`));
  return [own, ...below.map((each) => (each.path === `${path} help` ? helpOn(names, each) : each))];
}

function isNamed(kind: Offer["kind"]): kind is NamedArgument {
  return kind === "targets" || kind === "schedules";
}

/** The argument of `help` is a command beside it. */
function helpOn(names: readonly string[], help: CommandWords): CommandWords {
  return { ...help, argumentWords: names.filter((name) => name !== "help") };
}

function optionWords(option: Option): OptionWords {
  const { short, long, description, required, optional, flags, argChoices } = option;
  const [, placeholder = ""] = /[<[](.+?)(?:\.\.\.)?[>\]]/.exec(flags) ?? [];
  return {
    names: [short, long].filter((name) => name !== undefined),
    description,
    value: required || optional ? valueOffer(long, placeholder, argChoices) : null,
  };
}

function valueOffer(
  long: string | undefined,
  placeholder: string,
  choices: readonly string[] | undefined,
): Offer {
  if (long === "--profile") return { kind: "profiles" };
  if (long === "--schedule") return { kind: "all-schedules" };
  return long === "--target" ? { kind: "all-targets" } : offerOf(placeholder, choices);
}

function argumentOffer(argument: Argument): Offer {
  const name = argument.name();
  const named = namedArguments[name];
  return named === undefined ? offerOf(name, argument.argChoices) : { kind: named };
}

/** A placeholder such as `yes|no` lists the words, and `path` is a file. */
function offerOf(placeholder: string, choices: readonly string[] | undefined): Offer {
  if (choices !== undefined) return { kind: "words", words: choices };
  if (placeholder.includes("|")) return { kind: "words", words: placeholder.split("|") };
  return placeholder === "path" ? { kind: "files" } : { kind: "nothing" };
}

/** In one pair of quotes for a Bourne shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
