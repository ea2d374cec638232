import { quoted, type CommandWords, type OptionWords } from "./word-tree.ts";

/** Written for bash 3.2, which macOS has. */
export function bashScript(commands: readonly CommandWords[]): string {
  return `# Completions of postdate for bash. In ~/.bashrc: eval "$(postdate completion bash)"
_postdate() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} at= i
  local -a typed
  local line=\${COMP_LINE:0:COMP_POINT}
  local IFS=$' \\t\\n'
  COMPREPLY=()
  # Bash takes --option=value for three words.
  if [[ $word == = ]]; then word=
  elif [[ $before == = ]]; then before=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  read -ra typed <<< "\${line%"$word"}"
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
      ${commands.slice(1).map(pathPattern).join(" | ")}) at="$at \${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at $before" in
${commands.flatMap(valueCases).join("\n")}
  esac
  local words= options= named=
  case "$at" in
${commands.map(wordCase).join("\n")}
  esac
  if [[ -n $named && $word != -* ]]; then
    words=$("\${COMP_WORDS[0]}" offer $named -- "\${typed[@]:1}" 2>/dev/null)
  fi
  if [[ $word == -* || -z $words ]]; then words=$options; fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -F _postdate postdate
`;
}

function pathPattern({ path }: CommandWords): string {
  return quoted(path);
}

function valueCases({ path, options }: CommandWords): string[] {
  return options.flatMap((option) => {
    if (option.value === null) return [];
    const pattern = option.names.map((name) => quoted(`${path} ${name}`)).join(" | ");
    return [`    ${pattern}) ${valueCommand(option.value)}return ;;`];
  });
}

function valueCommand(value: NonNullable<OptionWords["value"]>): string {
  if (value.kind === "nothing") return "";
  if (value.kind === "words") {
    return `COMPREPLY=($(compgen -W ${quoted(value.words.join(" "))} -- "$word")); `;
  }
  if (value.kind !== "files") {
    const names = `$("\${COMP_WORDS[0]}" offer ${value.kind} -- "\${typed[@]:1}" 2>/dev/null)`;
    return `COMPREPLY=($(compgen -W "${names}" -- "$word")); `;
  }
  // One name a line, because names may have spaces.
  return `compopt -o filenames 2>/dev/null; IFS=$'\\n'; COMPREPLY=($(compgen -f -- "$word")); `;
}

function wordCase(command: CommandWords): string {
  const { path, commands, argumentWords, options, takesId } = command;
  const words = [...commands.map(({ name }) => name), ...argumentWords].join(" ");
  const names = options.flatMap((option) => option.names).join(" ");
  return `    ${quoted(path)}) words=${quoted(words)} options=${quoted(names)}${takesId === null ? "" : ` named=${takesId}`} ;;`;
}
