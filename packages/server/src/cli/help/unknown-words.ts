import { Option, type Command } from "commander";
import { nearNames } from "../../config/near-names.ts";

/** What other tools call the same thing. */
const sameMeaning: readonly (readonly string[])[] = [
  ["add", "create", "new", "make"],
  ["remove", "delete", "rm", "del"],
  ["show", "get", "describe", "inspect", "view"],
  ["list", "ls"],
  ["update", "edit", "change", "set", "patch"],
  ["trigger", "run", "fire"],
  ["runs", "history"],
  ["pause", "disable", "suspend", "stop"],
  ["resume", "enable", "unpause", "start"],
];

/** Says of an unknown word which command of the group may be meant. */
export function suggestCommands(group: Command): void {
  const below = group.commands.filter((command) => command.commands.length > 0);
  for (const command of below) suggestCommands(command);
  group.on("command:*", ([word = ""]: readonly string[]) => unknownCommand(word, group));
}

/** Fails for a word that is no command of the group. */
export function unknownCommand(word: string, group: Command): never {
  const names = group
    .createHelp()
    .visibleCommands(group)
    .map((command) => command.name());
  const meanings = sameMeaning.find((words) => words.includes(word)) ?? [];
  const same = names.filter((name) => meanings.includes(name));
  const near = same.length > 0 ? same : nearNames(word, names);
  const hint = near.length === 0 ? "" : `\n(Did you mean ${near.join(" or ")}?)`;
  return group.error(`error: unknown command '${word}'${hint}`);
}

/** Says of the names that other tools have for an option which one is meant. */
export function suggestOption(command: Command, meant: string, names: readonly string[]): Command {
  for (const name of names) {
    command.addOption(new Option(`--${name} [value]`).hideHelp());
    command.on(`option:${name}`, () =>
      command.error(`error: unknown option '--${name}'\n(Did you mean ${meant}?)`),
    );
  }
  return command;
}
