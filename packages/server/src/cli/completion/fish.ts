import type { CommandWords, OptionWords } from "./word-tree.ts";

export function fishScript(commands: readonly CommandWords[]): string {
  const paths = commands.slice(1).map(({ path }) => fishQuoted(path));
  return `# Completions of postdate for fish, for ~/.config/fish/completions/postdate.fish
function __postdate_at
    set -l at ''
    for word in (commandline -opc)[2..-1]
        if contains -- "$at $word" ${paths.join(" ")}
            set at "$at $word"
        end
    end
    test "$at" = "$argv[1]"
end
function __postdate_offer
    set -l typed (commandline -opc)
    command $typed[1] offer $argv -- $typed[2..-1] 2>/dev/null
end
complete -c postdate -e
complete -c postdate -f
${commands.flatMap(linesOf).join("\n")}
`;
}

function linesOf(command: CommandWords): string[] {
  const { path, commands, argumentWords, options, takesId } = command;
  const rule = `complete -c postdate -n ${fishQuoted(`__postdate_at ${fishQuoted(path)}`)}`;
  return [
    ...commands.map(
      ({ name, description }) => `${rule} -a ${fishQuoted(name)} -d ${fishQuoted(description)}`,
    ),
    ...argumentWords.map((word) => `${rule} -a ${fishQuoted(word)}`),
    ...(takesId === null ? [] : [`${rule} -a '(__postdate_offer ${takesId})'`]),
    ...options.map((option) => `${rule} ${flagsOf(option)} -d ${fishQuoted(option.description)}`),
  ];
}

function flagsOf({ names, value }: OptionWords): string {
  const flags = names.map((name) =>
    name.startsWith("--") ? `-l ${fishQuoted(name.slice(2))}` : `-s ${fishQuoted(name.slice(1))}`,
  );
  if (value?.kind === "words") flags.push(`-x -a ${fishQuoted(value.words.join(" "))}`);
  if (value?.kind === "files") flags.push("-r -F");
  if (value?.kind === "nothing") flags.push("-x");
  if (value?.kind === "profiles" || value?.kind.startsWith("all-")) {
    flags.push(`-x -a '(__postdate_offer ${value.kind})'`);
  }
  return flags.join(" ");
}

/** In quotes, fish knows a backslash before a quote and before a backslash, and nothing else. */
function fishQuoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`;
}
